import { PURGE_CONTEXT } from '../contexts/index.js'
import type { EmbeddingModels } from '../documents/index.js'
import { type CollectionIndex, collectionOf, contextOfCollection, INDEX_WORDS } from '../documents/index.js'
import { pages } from '../kernel/lists.js'
import type { ContextRecord, LexicalIndex, Page, Storage, VectorIndex } from '../ports/index.js'
import { ContextVectors, contextFindings } from './context-findings.js'
import { type DocumentCheck, type DocumentSurroundings, type WaitingJobs, waitingJobs } from './document-check.js'
import type { Finding, Look } from './finding.js'
import { ContextWords, type WordKnowledge, wordsWithoutContext, wordsWithoutDocument } from './word-findings.js'

const DOCUMENTS_PER_PAGE = 500
/** Each may have a megabyte of tools. */
const CONTEXTS_PER_PAGE = 20

/** Ids of documents to be looked at again, in their order, by context; undefined for all of its documents. */
type Targets = ReadonlyMap<number, readonly number[] | undefined>

/** The names of a context's collections in the two indexes. */
interface CollectionNames {
  readonly ofVectors: readonly string[]
  readonly ofWords: readonly string[]
}

/** Compares contexts with their vectors and words, and has their documents compared. */
export class ContextCheck {
  readonly #storage: Storage
  readonly #index: VectorIndex
  readonly #words: LexicalIndex
  readonly #models: EmbeddingModels
  readonly #documents: DocumentCheck

  constructor(
    storage: Storage,
    index: VectorIndex,
    words: LexicalIndex,
    models: EmbeddingModels,
    documents: DocumentCheck,
  ) {
    this.#storage = storage
    this.#index = index
    this.#words = words
    this.#models = models
    this.#documents = documents
  }

  async run(look: Look): Promise<void> {
    const waiting = await waitingJobs(this.#storage)
    const [vectors, words] = [await collectionsIn(this.#index), await collectionsIn(this.#words)]
    const targets = look.only && targetsOf(look.only)
    for await (const context of this.#contexts(targets)) {
      look.signal.throwIfAborted()
      look.checked.contexts += 1
      const names = { ofVectors: vectors.get(context.id) ?? [], ofWords: words.get(context.id) ?? [] }
      look.checked.collections += names.ofVectors.length
      look.checked.wordCollections += names.ofWords.length
      await this.#context(context, names, waiting, { look, only: targets?.get(context.id) })
      vectors.delete(context.id)
      words.delete(context.id)
    }
    for (const [left, toFinding] of [
      [vectors, withoutContext],
      [words, wordsWithoutContext],
    ] as const) {
      for (const [contextId, names] of left) {
        if (targets !== undefined && !targets.has(contextId)) continue
        look.found.push(...names.map((collection) => toFinding(contextId, collection)))
      }
    }
  }

  async *#contexts(targets: Targets | undefined): AsyncGenerator<ContextRecord> {
    const read = async (page: Page): Promise<readonly ContextRecord[]> =>
      await this.#storage.read(({ contexts }) => contexts.page(page))
    for (const id of targets?.keys() ?? []) {
      yield* (await read({ after: id - 1, limit: 1 })).filter((context) => context.id === id)
    }
    if (targets !== undefined) return
    for await (const contexts of pages(CONTEXTS_PER_PAGE, read)) yield* contexts
  }

  async #context(
    context: ContextRecord,
    names: CollectionNames,
    waiting: WaitingJobs,
    { look, only }: { readonly look: Look; readonly only: readonly number[] | undefined },
  ): Promise<void> {
    const isModelKnown = this.#models.ids.includes(context.embeddingModel)
    const isModelUsable = isModelKnown && !isUnusable(context.embeddingModel, look)
    const isLive = context.deleted === null
    const vectors = isModelKnown && isLive ? await this.#vectorsOf(context) : undefined
    const words = isLive ? await this.#wordsOf(context) : undefined
    if (isLive) {
      await this.#documentsOf({ context, vectors, words, isModelUsable, waiting }, { look, only })
      for (const count of vectors?.counts.values() ?? []) look.checked.vectors += count
      for (const count of words?.counts.values() ?? []) look.checked.indexedChunks += count
    }
    const usedBytes = await this.#storage.read(({ uploads }) => uploads.usedBytes(context.id))
    const isPurgeWaiting = waiting[PURGE_CONTEXT].has(context.id)
    const ofWords = words && (await this.#knownOf(words, names.ofWords, waiting[INDEX_WORDS].has(context.id)))
    // Last: that vectors or words cannot be read may turn out when some of them are.
    const known = { names: names.ofVectors, vectors, isModelKnown, isModelUsable, usedBytes, isPurgeWaiting, ofWords }
    look.found.push(...contextFindings(context, known))
  }

  async #wordsOf(context: ContextRecord): Promise<ContextWords> {
    const words = new ContextWords(this.#storage, this.#words, context.id)
    await words.count()
    return words
  }

  async #knownOf(words: ContextWords, wordNames: readonly string[], isIndexWaiting: boolean): Promise<WordKnowledge> {
    return { words, wordNames, unindexed: await words.countUnindexed(), isIndexWaiting }
  }

  async #vectorsOf(context: ContextRecord): Promise<ContextVectors> {
    const { profile } = this.#models.get(context.embeddingModel)
    const vectors = new ContextVectors(this.#index, collectionOf(context, profile), profile)
    await vectors.count()
    return vectors
  }

  async #documentsOf(
    around: DocumentSurroundings,
    { look, only }: { readonly look: Look; readonly only: readonly number[] | undefined },
  ): Promise<void> {
    const { context, vectors, words } = around
    // What has vectors or words and turns out to be no document of the context.
    const strangers = new Set(only ?? [...(vectors?.counts.keys() ?? []), ...(words?.counts.keys() ?? [])])
    const listed = pages(DOCUMENTS_PER_PAGE, async (page) => {
      if (only !== undefined) return only.filter((id) => id > page.after).slice(0, page.limit)
      return await this.#storage.read(({ documents }) => documents.listIds(context.id, page))
    })
    for await (const ids of listed) {
      look.signal.throwIfAborted()
      const found = await this.#storage.read(({ documents }) => documents.find(ids))
      const own = found.filter(({ contextId }) => contextId === context.id)
      for (const { id } of own) strangers.delete(id)
      await this.#documents.run(own, around, look)
    }
    for (const documentId of strangers) {
      if (vectors?.counts.has(documentId) === true)
        look.found.push(withoutDocument(context, vectors.collection.name, documentId))
      if (words?.counts.has(documentId) === true)
        look.found.push(wordsWithoutDocument(context, words.collection, documentId))
    }
  }
}

/** Names by the context that they tell of. Others are not the engine's. */
async function collectionsIn(index: CollectionIndex): Promise<Map<number, string[]>> {
  const byContext = new Map<number, string[]>()
  for (const name of await index.listCollections()) {
    const contextId = contextOfCollection(name)
    if (contextId !== undefined) byContext.set(contextId, [...(byContext.get(contextId) ?? []), name])
  }
  return byContext
}

function isUnusable(model: string, { found }: Look): boolean {
  return found.some(({ code, subject }) => code === 'model-unusable' && subject.model === model)
}

function targetsOf(findings: readonly Finding[]): Targets {
  const ids = new Map<number, Set<number>>()
  // Which of them showed it is not known.
  const unreadable = findings.filter(({ code }) => code === 'collection-unreadable' || code === 'words-unreadable')
  const whole = new Set(unreadable.map(({ subject }) => subject.contextId))
  for (const { contextId, documentId } of findings.map(({ subject }) => subject)) {
    if (contextId === undefined) continue
    const ofContext = ids.get(contextId) ?? new Set()
    if (documentId !== undefined) ofContext.add(documentId)
    ids.set(contextId, ofContext)
  }
  const sorted = (documents: ReadonlySet<number>) => [...documents].sort((one, other) => one - other)
  return new Map([...ids].map(([id, documents]) => [id, whole.has(id) ? undefined : sorted(documents)]))
}

function withoutDocument(context: ContextRecord, collection: string, documentId: number): Finding {
  return {
    code: 'vectors-without-document',
    subject: { contextId: context.id, documentId, collection },
    message: `Collection ${collection} has vectors of a document ${documentId}, which context ${context.id} does not have.`,
    mend: 'remove-vectors',
  }
}

function withoutContext(contextId: number, collection: string): Finding {
  return {
    code: 'collection-without-context',
    subject: { contextId, collection },
    message: `Collection ${collection} belongs to a context ${contextId} that is not there.`,
    mend: 'sweep',
  }
}
