import { PURGE_CONTEXT } from '../../context/index.js'
import type { ContextRecord, Storage, VectorIndex } from '../../ports/index.js'
import { pages } from '../../shared/pages.js'
import type { EmbeddingModels } from '../embedding-models.js'
import { collectionOf, contextOfCollection } from '../vector-collection.js'
import { contextFindings } from './context-findings.js'
import { ContextVectors } from './context-vectors.js'
import type { DocumentCheck, DocumentSurroundings } from './document-check.js'
import type { Finding, Look } from './finding.js'
import { type WaitingJobs, waitingJobs } from './waiting-jobs.js'

const DOCUMENTS_PER_PAGE = 500
/** Each may have a megabyte of tools. */
const CONTEXTS_PER_PAGE = 20

/** Ids of documents to be looked at again, in their order, by context; undefined for all of its documents. */
type Targets = ReadonlyMap<number, readonly number[] | undefined>

/** Compares contexts with their vectors, and has their documents compared. */
export class ContextCheck {
  readonly #storage: Storage
  readonly #index: VectorIndex
  readonly #models: EmbeddingModels
  readonly #documents: DocumentCheck

  constructor(storage: Storage, index: VectorIndex, models: EmbeddingModels, documents: DocumentCheck) {
    this.#storage = storage
    this.#index = index
    this.#models = models
    this.#documents = documents
  }

  async run(look: Look): Promise<void> {
    const waiting = await waitingJobs(this.#storage)
    const collections = await this.#collections()
    const targets = look.only && targetsOf(look.only)
    for await (const context of this.#contexts(targets)) {
      look.signal.throwIfAborted()
      look.checked.contexts += 1
      const names = collections.get(context.id) ?? []
      look.checked.collections += names.length
      await this.#context(context, names, waiting, { look, only: targets?.get(context.id) })
      collections.delete(context.id)
    }
    for (const [contextId, names] of collections) {
      if (targets !== undefined && !targets.has(contextId)) continue
      for (const collection of names) look.found.push(withoutContext(contextId, collection))
    }
  }

  /** Names by the context that they tell of. Others are not the engine's. */
  async #collections(): Promise<Map<number, string[]>> {
    const byContext = new Map<number, string[]>()
    for (const name of await this.#index.listCollections()) {
      const contextId = contextOfCollection(name)
      if (contextId !== undefined) byContext.set(contextId, [...(byContext.get(contextId) ?? []), name])
    }
    return byContext
  }

  async *#contexts(targets: Targets | undefined): AsyncGenerator<ContextRecord> {
    const read = async (after: number, limit: number): Promise<readonly ContextRecord[]> =>
      await this.#storage.read(({ contexts }) => contexts.page({ after, limit }))
    for (const id of targets?.keys() ?? []) yield* (await read(id - 1, 1)).filter((context) => context.id === id)
    if (targets !== undefined) return
    for (let after = 0; ; ) {
      const contexts = await read(after, CONTEXTS_PER_PAGE)
      yield* contexts
      if (contexts.length < CONTEXTS_PER_PAGE) return
      after = contexts.at(-1)?.id ?? after
    }
  }

  async #context(
    context: ContextRecord,
    names: readonly string[],
    waiting: WaitingJobs,
    { look, only }: { readonly look: Look; readonly only: readonly number[] | undefined },
  ): Promise<void> {
    const isModelKnown = this.#models.ids.includes(context.embeddingModel)
    const isModelUsable = isModelKnown && !isUnusable(context.embeddingModel, look)
    const vectors = isModelKnown && context.deleted === null ? await this.#vectorsOf(context) : undefined
    if (context.deleted === null) {
      await this.#documentsOf({ context, vectors, isModelUsable, waiting }, { look, only })
      for (const count of vectors?.counts.values() ?? []) look.checked.vectors += count
    }
    const usedBytes = await this.#storage.read(({ uploads }) => uploads.usedBytes(context.id))
    const isPurgeWaiting = waiting[PURGE_CONTEXT].has(context.id)
    // Last: that vectors cannot be read may turn out when some of them are.
    const known = { names, vectors, isModelKnown, isModelUsable, usedBytes, isPurgeWaiting }
    look.found.push(...contextFindings(context, known))
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
    const { context, vectors } = around
    // What has vectors and turns out to be no document of the context.
    const strangers = new Set(only ?? vectors?.counts.keys())
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
      if (vectors?.counts.has(documentId) !== true) continue
      look.found.push(withoutDocument(context, vectors.collection.name, documentId))
    }
  }
}

function isUnusable(model: string, { found }: Look): boolean {
  return found.some(({ code, subject }) => code === 'model-unusable' && subject.model === model)
}

function targetsOf(findings: readonly Finding[]): Targets {
  const ids = new Map<number, Set<number>>()
  // Which of them showed it is not known.
  const unreadable = findings.filter(({ code }) => code === 'collection-unreadable')
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
