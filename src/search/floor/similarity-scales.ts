import { pause, untilAborted } from '../../kernel/scheduling/abort.js'
import type { FairScheduler, TurnTaker } from '../../kernel/scheduling/fair-scheduler.js'
import { cosine, type EmbeddingModel, type SimilarityScale } from '../../ports/index.js'
import { SAMPLE_PAIRS } from './sample-pairs.js'

/** Longest wait of a search for the measurement. A model on the device takes 0.3 to 1.3 s. */
const MAX_WAIT_MS = 2_000
/** Pause before a model that failed is measured once more. */
const RETRY_MS = 60_000

/**
 * Knows how near each model puts texts that belong together, and texts that do not. A profile may say it. Otherwise the
 * model embeds 88 short texts once, when a search first asks.
 */
export class SimilarityScales {
  readonly #measured = new WeakMap<EmbeddingModel, Measured>()

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
    let measured: SimilarityScale | undefined
    const measuring = this.#measure(model, turns).then((scale) => {
      measured = scale
    })
    await untilAborted(pause(MAX_WAIT_MS, measuring), signal)
    return measured && knownScale(measured)
  }

  /** Measures a model once. A search asks a model that failed once more after some time. */
  async #measure(model: EmbeddingModel, turns: FairScheduler): Promise<SimilarityScale | undefined> {
    const known = this.#measured.get(model)
    if (known !== undefined && performance.now() < known.until) return await known.measured
    const entry: Measured = { measured: Promise.resolve(undefined), until: Infinity }
    entry.measured = measureSimilarity(embedInTurns(model, turns)).catch(() => {
      entry.until = performance.now() + RETRY_MS
      return undefined
    })
    this.#measured.set(model, entry)
    return await entry.measured
  }
}

/** The measurement of a model. */
interface Measured {
  /** `undefined` if the model failed. */
  measured: Promise<SimilarityScale | undefined>
  /** The time of the next measurement, as `performance.now()` counts. */
  until: number
}

/** No search: it has no place among the calls of a company that it would give back and wait for. */
const MEASUREMENT: TurnTaker = { group: 'scales of models', member: '' }

/** Computes one vector for each text. */
type Embed = (texts: readonly string[], kind: 'query' | 'passage') => Promise<readonly Float32Array[]>

function embedInTurns(model: EmbeddingModel, turns: FairScheduler): Embed {
  const { dimensions } = model.profile
  return async (texts, kind) => {
    const embed = async (): Promise<Float32Array> => await model.embed(texts, { kind, isUrgent: true })
    const vectors = await turns.one(MEASUREMENT, embed, undefined)
    return texts.map((_, row) => vectors.slice(row * dimensions, (row + 1) * dimensions))
  }
}

/**
 * Measures a model with questions and answers in eleven languages. Only languages that the model knows count: there, each
 * answer is nearer to its question than the other answers.
 */
export async function measureSimilarity(embed: Embed): Promise<SimilarityScale> {
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
  return { unrelated: meanOf(wrong), related: meanOf(right), languages }
}

/** @returns `undefined` for a model that tells texts apart in no language of the sample */
function knownScale(similarity: SimilarityScale): SimilarityScale | undefined {
  return similarity.languages.length > 0 && similarity.unrelated < similarity.related ? similarity : undefined
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}
