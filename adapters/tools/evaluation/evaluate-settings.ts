import { resolve } from 'node:path'
import { type Document, InvalidInputError, type Session } from '../../../src/index.js'
import { integerSchema, refuseUnknownMembers, validate } from '../../../src/ports/index.js'
import { removeLeftShadows } from '../../local/folder/shadow-folder.js'
import { makeTempFolder } from '../../local/folder/temp-folder.js'
import type { LocalEngineOptions } from '../../local/options/local-engine-options.js'
import { makeFolder } from '../../node-kit/index.js'
import { neededBytes, requireSpace } from './disk-space.js'
import type {
  ComparedSettings,
  Evaluation,
  EvaluationPlan,
  EvaluationProgress,
  EvaluationQuestion,
  MeasuredSettings,
  SettingsChange,
} from './evaluation.js'
import { type AnsweredQuestion, findAnswers } from './expected-answers.js'
import { measureSettings, type QuestionScores, type SearchedContext } from './measure-settings.js'
import { chanceOf, SIGNIFICANT } from './randomization-test.js'
import { meanScores, type RetrievalScores } from './retrieval-scores.js'
import { type SearchedCopy, type SettingValues, settingsToCompare, toSettings } from './settings-to-compare.js'
import { ShadowEngine } from './shadow-engine.js'

export interface EvaluationOptions extends SettingValues {
  /** Results of each search, 1 to 100. Default: the `topN` of the context. */
  readonly topN?: number | undefined
  /**
   * The options with which the engine of the session was opened. Needed for another model, chunk size or overlap: the
   * copies are made by a second engine with the same models, in a folder below `tempDir`, or `dataDir`.
   */
  readonly engine?: LocalEngineOptions | undefined
  /** Called once, before the first question is asked. */
  readonly onStart?: ((plan: EvaluationPlan) => void) | undefined
  /** Called for each copied document and each answered question. */
  readonly onProgress?: ((progress: EvaluationProgress) => void) | undefined
  /** Called for each settings that are measured. The present settings come first. */
  readonly onSettings?: ((measured: MeasuredSettings) => void) | undefined
  /** Stops the evaluation, which removes its copies and then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

const OPTIONS: readonly (keyof EvaluationOptions)[] = [
  'embeddingModels',
  'chunkSizesTokens',
  'overlaps',
  'modes',
  'topN',
  'engine',
  'onStart',
  'onProgress',
  'onSettings',
  'signal',
]

/**
 * Compares what searches of a context find with other settings, on questions whose answers are known.
 *
 * The present settings are measured by searches of the context itself, and so are other modes. For another model, chunk
 * size or overlap, the completed documents are copied into a second engine. Its folder is removed at the end, or after a
 * crash by the next start or the next evaluation. The context, its documents and its searches stay as they are.
 *
 * Each lists of values is combined with each other; at most 24 combinations beside the present settings.
 *
 * @param questions 1 to 10,000; see {@link readQuestions} for those in a csv file
 * @throws InvalidInputError for a question whose document or passage the context does not have, and for invalid options;
 *   nothing is measured then
 * @throws ModelError `ERR_MODEL_UNKNOWN` for a model that the engine does not have
 * @throws StorageFullError if the disk has too little space for a copy
 * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`; also if a document is deleted or replaced during the evaluation
 * @throws DocumentFailedError if a document cannot be processed with other settings
 */
export async function evaluateSettings(
  session: Session,
  contextId: number,
  questions: readonly EvaluationQuestion[],
  options: EvaluationOptions = {},
): Promise<Evaluation> {
  refuseUnknownMembers(options, OPTIONS, 'option')
  const present = await session.contexts.settings(contextId)
  const { own, copies, count } = settingsToCompare(present, options)
  const topN = validate(integerSchema({ min: 1, max: 100 }), options.topN ?? present.topN, 'topN')
  const all: Document[] = []
  for await (const document of session.documents.entries(contextId)) all.push(document)
  const documents = all.filter(({ completed }) => completed !== null)
  const answered = await findAnswers(session, all, questions)
  const needed = neededBytes(
    documents.reduce((sum, { size }) => sum + size, 0),
    copies,
  )
  const shadow = copies.length === 0 ? undefined : await openShadow(options.engine, needed, documents.length)
  try {
    const shadowIds = (await shadow?.engine.createContexts(copies, present.scoreThreshold)) ?? []
    options.onStart?.({
      topN,
      questions: answered.length,
      settings: count,
      copies: copies.length,
      documents: documents.length,
      leftOut: all.length - documents.length,
      neededBytes: needed,
      freeBytes: shadow?.freeBytes ?? null,
    })
    const comparison = new Comparison(answered, topN, documents.length, options)
    const context = { session, contextId, idOf: (id: number) => id }
    await comparison.measure(
      own,
      context,
      documents.reduce((sum, { chunks }) => sum + chunks, 0),
    )
    for (const [index, copy] of copies.entries()) {
      const id = shadowIds[index]
      if (shadow === undefined || id === undefined) break
      const [first] = toSettings(copy)
      const filled = await shadow.engine.fill(id, session, documents, {
        signal: options.signal,
        onDocument: (done) => {
          if (first !== undefined) comparison.report(first, 'documents', done, documents.length)
        },
      })
      await comparison.measure(copy, filled, filled.chunks)
      await shadow.engine.clear(id)
    }
    return { contextId, topN, questions: answered.length, settings: comparison.measured }
  } finally {
    await shadow?.engine.close()
  }
}

async function openShadow(
  engine: LocalEngineOptions | undefined,
  needed: number,
  documents: number,
): Promise<{ readonly engine: ShadowEngine; readonly freeBytes: number }> {
  if (engine === undefined) {
    throw new InvalidInputError(
      'engine',
      'must be the options of openLocalEngine, to compare another model, chunk size or overlap',
    )
  }
  const dataDir = resolve(engine.dataDir)
  await makeFolder(dataDir)
  const tempFolder = await makeTempFolder(dataDir, engine.tempDir)
  await removeLeftShadows([dataDir, tempFolder])
  const freeBytes = await requireSpace(tempFolder, needed)
  return { engine: await ShadowEngine.open({ ...engine, dataDir }, tempFolder, documents), freeBytes }
}

/** Measures settings, and compares each with the first ones. */
class Comparison {
  #present: readonly RetrievalScores[] | undefined
  readonly measured: MeasuredSettings[] = []

  constructor(
    private readonly questions: readonly AnsweredQuestion[],
    private readonly topN: number,
    private readonly documents: number,
    private readonly options: EvaluationOptions,
  ) {}

  /** Measures each mode of a context. */
  async measure(searched: SearchedCopy, context: SearchedContext, chunks: number): Promise<void> {
    const { signal } = this.options
    for (const settings of toSettings(searched)) {
      const found = await measureSettings(context, this.questions, {
        mode: settings.mode,
        topN: this.topN,
        signal,
        onQuestion: (done) => this.report(settings, 'questions', done, this.questions.length),
      })
      const measured = await this.#compare(settings, found, chunks)
      this.measured.push(measured)
      this.options.onSettings?.(measured)
    }
  }

  report(settings: ComparedSettings, work: EvaluationProgress['work'], done: number, total: number): void {
    this.options.onProgress?.({ settings, work, done, total })
  }

  async #compare(
    settings: ComparedSettings,
    { scores, p50Ms, characters }: QuestionScores,
    chunks: number,
  ): Promise<MeasuredSettings> {
    const present = this.#present
    this.#present ??= scores
    return {
      isPresent: present === undefined,
      ...settings,
      documents: this.documents,
      chunks,
      ...meanScores(scores),
      p50Ms,
      characters,
      change: present === undefined ? null : await changeOf(scores, present),
    }
  }
}

async function changeOf(
  scores: readonly RetrievalScores[],
  present: readonly RetrievalScores[],
): Promise<SettingsChange> {
  const [mean, presentMean] = [meanScores(scores), meanScores(present)]
  const chance = await chanceOf(scores.map(({ ndcg }, index) => ndcg - (present[index]?.ndcg ?? 0)))
  return {
    recall: mean.recall - presentMean.recall,
    ndcg: mean.ndcg - presentMean.ndcg,
    mrr: mean.mrr - presentMean.mrr,
    hitAt1: mean.hitAt1 - presentMean.hitAt1,
    chance,
    isWithinChance: chance >= SIGNIFICANT,
  }
}
