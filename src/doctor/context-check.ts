import { PURGE_CONTEXT, REINDEX_CONTEXT } from '../contexts/index.js'
import {
  type CollectionIndex,
  collectionOf,
  contextOfCollection,
  type EmbeddingModels,
  generationOfCollection,
  INDEX_WORDS,
  MEND_WORDS,
  readLanguages,
} from '../documents/index.js'
import { pages } from '../kernel/lists.js'
import type { ContextRecord, LexicalIndex, Page, Storage, VectorIndex } from '../ports/index.js'
import { ContextVectors, contextFindings } from './context-findings.js'
import { ContextWords, wordsWithoutContext, wordsWithoutDocument } from './context-words.js'
import { type DocumentCheck, type DocumentSurroundings, type WaitingJobs, waitingJobs } from './document-check.js'
import { type CheckRun, type Finding, versionIdOf } from './finding.js'

const DOCUMENTS_PER_PAGE = 500
/** Few: each context may have a megabyte of tools. */
const CONTEXTS_PER_PAGE = 20

/** Ids of the versions of documents to check a second time, in ascending order, by context; undefined for all of its documents. */
type Targets = ReadonlyMap<number, readonly number[] | undefined>

/** The names of a context's collections in the two indexes. */
interface CollectionNames {
  readonly ofVectors: readonly string[]
  readonly ofWords: readonly string[]
}

/** A check run, limited to some documents of one context. */
interface ContextRun {
  readonly checkRun: CheckRun
  /** Ids in ascending order; undefined for all documents. */
  readonly documentIds: readonly number[] | undefined
}

/** Compares contexts with their vectors and words, and has their documents checked. */
export class ContextCheck {
  constructor(
    private readonly storage: Storage,
    private readonly index: VectorIndex,
    private readonly words: LexicalIndex,
    private readonly models: EmbeddingModels,
    private readonly documents: DocumentCheck,
  ) {}

  async run(checkRun: CheckRun): Promise<void> {
    const waiting = await waitingJobs(this.storage)
    const [vectors, words] = [await collectionsByContext(this.index), await collectionsByContext(this.words)]
    const targets = checkRun.recheck && targetsOf(checkRun.recheck)
    for await (const context of this.#listContexts(targets)) {
      checkRun.signal.throwIfAborted()
      checkRun.checked.contexts += 1
      const names = { ofVectors: vectors.get(context.id) ?? [], ofWords: words.get(context.id) ?? [] }
      checkRun.checked.collections += names.ofVectors.length
      checkRun.checked.wordCollections += names.ofWords.length
      await this.#checkContext(context, names, waiting, { checkRun, documentIds: targets?.get(context.id) })
      vectors.delete(context.id)
      words.delete(context.id)
    }
    // The collections that are left have no context.
    for (const [leftOver, toFinding] of [
      [vectors, vectorsWithoutContext],
      [words, wordsWithoutContext],
    ] as const) {
      for (const [contextId, names] of leftOver) {
        if (targets !== undefined && !targets.has(contextId)) continue
        checkRun.findings.push(...names.map((collection) => toFinding(contextId, collection)))
      }
    }
  }

  async *#listContexts(targets: Targets | undefined): AsyncGenerator<ContextRecord> {
    const read = async (page: Page): Promise<readonly ContextRecord[]> =>
      await this.storage.read(({ contexts }) => contexts.page(page))
    for (const id of targets?.keys() ?? []) {
      yield* (await read({ after: id - 1, limit: 1 })).filter((context) => context.id === id)
    }
    if (targets !== undefined) return
    for await (const contexts of pages(CONTEXTS_PER_PAGE, read)) yield* contexts
  }

  async #checkContext(
    context: ContextRecord,
    names: CollectionNames,
    waiting: WaitingJobs,
    contextRun: ContextRun,
  ): Promise<void> {
    const { checkRun } = contextRun
    const isModelKnown = this.models.ids.includes(context.embeddingModel)
    const isModelUsable = isModelKnown && !isUnusable(context.embeddingModel, checkRun)
    const isLive = context.deleted === null
    const vectors = isModelKnown && isLive ? await this.#countVectors(context) : undefined
    const words = isLive ? await this.#countWords(context) : undefined
    if (isLive) {
      await this.#checkDocuments({ context, vectors, words, isModelUsable, waiting }, contextRun)
      for (const count of vectors?.counts.values() ?? []) checkRun.checked.vectors += count
      for (const count of words?.counts.values() ?? []) checkRun.checked.indexedChunks += count
    }
    // After the documents: the check of their samples may show that vectors or words cannot be read.
    const findings = contextFindings(context, {
      vectorCollections: withoutReindexed(names.ofVectors, context, waiting),
      vectors,
      isModelKnown,
      isModelUsable,
      usedBytes: await this.storage.read(({ uploads }) => uploads.usedBytes(context.id)),
      isPurgeWaiting: waiting[PURGE_CONTEXT].has(context.id),
      words: words && {
        words,
        wordCollections: withoutReindexed(names.ofWords, context, waiting),
        unindexed: await words.countUnindexed(),
        isIndexWaiting: waiting[INDEX_WORDS].has(context.id),
        isMendWaiting: waiting[MEND_WORDS].has(context.id),
      },
    })
    checkRun.findings.push(...findings)
    if (isLive && checkRun.recheck === undefined) await this.#addNotice(context, checkRun)
  }

  async #addNotice(context: ContextRecord, { notices }: CheckRun): Promise<void> {
    const languages = await readLanguages(this.storage, this.models, context)
    const { notice, advice } = languages
    if (notice === null || advice === null) return
    const { id: contextId, embeddingModel: model } = context
    const message = `Context ${contextId}, whose model is ${model}: ${notice}.`
    notices.push({ code: 'language-unknown', subject: { contextId, model }, message, advice, languages })
  }

  async #countVectors(context: ContextRecord): Promise<ContextVectors> {
    const { profile } = this.models.get(context.embeddingModel)
    const vectors = new ContextVectors(this.index, collectionOf(context, profile), profile)
    await vectors.count()
    return vectors
  }

  async #countWords(context: ContextRecord): Promise<ContextWords> {
    const words = new ContextWords(this.storage, this.words, context)
    await words.count()
    return words
  }

  async #checkDocuments(surroundings: DocumentSurroundings, { checkRun, documentIds }: ContextRun): Promise<void> {
    const { context, vectors, words } = surroundings
    // Ids that have vectors or words; those that are no document of the context are left at the end.
    const strangers = new Set(documentIds ?? [...(vectors?.counts.keys() ?? []), ...(words?.counts.keys() ?? [])])
    const idPages = pages(DOCUMENTS_PER_PAGE, async (page) => {
      if (documentIds !== undefined) return documentIds.filter((id) => id > page.after).slice(0, page.limit)
      return await this.storage.read(({ documents }) => documents.listIds(context.id, page))
    })
    for await (const ids of idPages) {
      checkRun.signal.throwIfAborted()
      const found = await this.storage.read(({ documents }) => documents.find(ids))
      const own = found.filter(({ contextId }) => contextId === context.id)
      for (const { id } of own) strangers.delete(id)
      // The jobs of a re-index check shadows and versions of former generations, and remove them.
      const ofPresent = own.filter(({ generation }) => generation === null)
      await this.documents.run(ofPresent, surroundings, checkRun)
    }
    for (const documentId of strangers) {
      if (vectors?.counts.has(documentId) === true)
        checkRun.findings.push(vectorsWithoutDocument(context, vectors.collection.name, documentId))
      if (words?.counts.has(documentId) === true)
        checkRun.findings.push(wordsWithoutDocument(context, words.collection, documentId))
    }
  }
}

/** Names of the collections, by context id. Names that are not the engine's are left out. */
async function collectionsByContext(index: CollectionIndex): Promise<Map<number, string[]>> {
  const byContext = new Map<number, string[]>()
  for (const name of await index.listCollections()) {
    const contextId = contextOfCollection(name)
    if (contextId !== undefined) byContext.set(contextId, [...(byContext.get(contextId) ?? []), name])
  }
  return byContext
}

/** The collections without those that a re-index builds, or that its job is about to remove. */
function withoutReindexed(
  names: readonly string[],
  { id, generation, reindexing }: ContextRecord,
  waiting: WaitingJobs,
): readonly string[] {
  const isClearing = waiting[REINDEX_CONTEXT].has(id)
  return names.filter((name) => {
    const ofCollection = generationOfCollection(name)
    return ofCollection === generation || (ofCollection !== reindexing?.generation && !isClearing)
  })
}

function isUnusable(model: string, { findings }: CheckRun): boolean {
  return findings.some(({ code, subject }) => code === 'model-unusable' && subject.model === model)
}

function targetsOf(findings: readonly Finding[]): Targets {
  const ids = new Map<number, Set<number>>()
  // Any document may have shown that the collection is unreadable: all documents are checked.
  const unreadable = findings.filter(({ code }) => code === 'collection-unreadable' || code === 'words-unreadable')
  const wholeContexts = new Set(unreadable.map(({ subject }) => subject.contextId))
  for (const finding of findings) {
    const { contextId } = finding.subject
    if (contextId === undefined) continue
    const ofContext = ids.get(contextId) ?? new Set()
    const versionId = versionIdOf(finding)
    if (versionId !== undefined) ofContext.add(versionId)
    ids.set(contextId, ofContext)
  }
  const sorted = (documents: ReadonlySet<number>) => [...documents].sort((one, other) => one - other)
  return new Map([...ids].map(([id, documents]) => [id, wholeContexts.has(id) ? undefined : sorted(documents)]))
}

function vectorsWithoutDocument(context: ContextRecord, collection: string, documentId: number): Finding {
  return {
    code: 'vectors-without-document',
    subject: { contextId: context.id, documentId, collection },
    message: `Collection ${collection} has vectors of document ${documentId}, which context ${context.id} does not have.`,
    repairKind: 'remove-vectors',
  }
}

function vectorsWithoutContext(contextId: number, collection: string): Finding {
  return {
    code: 'collection-without-context',
    subject: { contextId, collection },
    message: `Collection ${collection} has vectors of context ${contextId}, which does not exist.`,
    repairKind: 'sweep',
  }
}
