import { readScale, similarityKeyOf } from '../../documents/index.js'
import { pause, untilAborted } from '../../kernel/scheduling/abort.js'
import type { FairScheduler, TurnTaker } from '../../kernel/scheduling/fair-scheduler.js'
import { cosine, type EmbeddingModel, type SimilarityScale, type Storage } from '../../ports/index.js'
import { SAMPLE_PAIRS } from './sample-pairs.js'

/** Longest wait of a search for the measurement. A model on the device takes 0.3 to 1.3 s. */
const MAX_WAIT_MS = 2_000
/** Pause before a model that failed is measured once more. */
const RETRY_MS = 60_000

/**
 * Knows how near each model puts texts that belong together, and texts that do not. A profile may say it. Otherwise the
 * model embeds 88 short texts when a search first asks, and the storage keeps the answer for all processes.
 */
export class SimilarityScales {
  readonly #measured = new WeakMap<EmbeddingModel, Measurement>()

  constructor(private readonly storage: Pick<Storage, 'read' | 'transaction'>) {}

  /**
   * @returns `undefined` if the model tells the sample's texts apart in no language, fails, or is not measured within two
   *   seconds. The measurement goes on, for the next search
   */
  async of(
    model: EmbeddingModel,
    turns: FairScheduler,
    signal: AbortSignal | undefined,
  ): Promise<SimilarityScale | undefined> {
    const { similarity } = model.profile
    if (similarity !== undefined) return knownScale(similarity)
    const entry = this.#begin(model, turns)
    if (!entry.isSettled) await untilAborted(pause(MAX_WAIT_MS, entry.measuring), signal)
    return entry.scale && knownScale(entry.scale)
  }

  /** Measures a model once. A search asks a model that failed once more after some time. */
  #begin(model: EmbeddingModel, turns: FairScheduler): Measurement {
    const known = this.#measured.get(model)
    if (known !== undefined && performance.now() < known.until) return known
    const begun = new Measurement(this.#measure(model, turns))
    this.#measured.set(model, begun)
    return begun
  }

  async #measure(model: EmbeddingModel, turns: FairScheduler): Promise<SimilarityScale> {
    const stored = await this.#read(model)
    if (stored !== undefined) return stored
    const measured = await measureSimilarity(inTurns(model, turns))
    // A full or read-only disk refuses no search.
    await this.storage
      .transaction(({ settings }) => settings.put(similarityKeyOf(model), JSON.stringify(measured)))
      .catch(() => undefined)
    return measured
  }

  async #read(model: EmbeddingModel): Promise<SimilarityScale | undefined> {
    return await this.storage.read(({ settings }) => readScale(settings, model)).catch(() => undefined)
  }
}

/** The measurement of a model. */
class Measurement {
  /** Resolves when the measurement has ended. Never rejects. */
  readonly measuring: Promise<void>
  isSettled = false
  /** `undefined` while it is measured, and if the model failed. */
  scale: SimilarityScale | undefined
  /** The time of the next measurement, as `performance.now()` counts. */
  until = Infinity

  constructor(measuring: Promise<SimilarityScale>) {
    this.measuring = this.#follow(measuring)
  }

  async #follow(measuring: Promise<SimilarityScale>): Promise<void> {
    try {
      this.scale = await measuring
    } catch {
      this.until = performance.now() + RETRY_MS
    }
    this.isSettled = true
  }
}

/** No search: it has no place among the calls of a company that it would give back and wait for. */
const MEASUREMENT: TurnTaker = { group: 'scales of models', member: '' }

/** A model whose scale is measured. */
type MeasuredModel = Pick<EmbeddingModel, 'profile' | 'embed'>

function inTurns(model: EmbeddingModel, turns: FairScheduler): MeasuredModel {
  const { profile } = model
  return {
    profile,
    embed: async (texts, { kind }) => {
      const embed = async (): Promise<Float32Array> => await model.embed(texts, { kind, isUrgent: true })
      return await turns.one(MEASUREMENT, embed, undefined)
    },
  }
}

/**
 * Measures the scale of a model's similarities with 88 short texts: questions and answers in eleven languages. Only
 * languages that the model knows count. There, each answer is nearer to its question than the other answers.
 *
 * @returns cosines with three decimals; no languages, and cosines of 0, for a model that knows none of them
 * @throws as `embed` of {@link EmbeddingModel}
 */
export async function measureSimilarity(model: MeasuredModel): Promise<SimilarityScale> {
  const { dimensions } = model.profile
  const embed = async (texts: readonly string[], kind: 'query' | 'passage'): Promise<readonly Float32Array[]> => {
    const vectors = await model.embed(texts, { kind })
    return texts.map((_, row) => vectors.slice(row * dimensions, (row + 1) * dimensions))
  }
  const languages: string[] = []
  const right: number[] = []
  const wrong: number[] = []
  const embedded = Object.entries(SAMPLE_PAIRS).map(async ([language, pairs]) => {
    const questions = pairs.map(({ question }) => question)
    const answers = pairs.map(({ answer }) => answer)
    return { language, questions: await embed(questions, 'query'), answers: await embed(answers, 'passage') }
  })
  for (const { language, questions, answers } of await Promise.all(embedded)) {
    const cosines = questions.map((question) => answers.map((answer) => cosine(question, answer)))
    const isKnown = cosines.every((row, at) => row.every((other, to) => to === at || other < (row[at] ?? 0)))
    if (!isKnown) continue
    languages.push(language)
    for (const [at, row] of cosines.entries()) {
      right.push(row[at] ?? 0)
      wrong.push(...row.filter((_, to) => to !== at))
    }
  }
  return { unrelated: rounded(meanOf(wrong)), related: rounded(meanOf(right)), languages }
}

/** @returns `undefined` for a model that tells texts apart in no language of the sample, and for numbers that are no cosines */
function knownScale(similarity: SimilarityScale): SimilarityScale | undefined {
  const { unrelated, related, languages } = similarity
  return languages.length > 0 && unrelated < related && related <= 1 ? similarity : undefined
}

/** The threads of a machine change the last digits of a cosine. */
function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}
