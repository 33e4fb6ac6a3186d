import { ANALYZER_VERSION } from '../analysis/index.js'
import { collectionOf, type EmbeddingModels, wordCollectionOf } from '../documents/index.js'
import { inBatches } from '../kernel/batches.js'
import { pages } from '../kernel/lists.js'
import { withAnySignal } from '../kernel/scheduling/abort.js'
import {
  type ChunkKey,
  type ContextRecord,
  type DocumentConditions,
  type DocumentRecord,
  type EmbeddingModel,
  type LexicalQuery,
  meetsConditions,
  type Page,
  type Storage,
  type Telemetry,
  type Tracer,
  tracerOf,
  type VectorKey,
  type VisibleChunk,
} from '../ports/index.js'
import { StaleContextError } from './present-contexts.js'
import { embedWindows, knowledgeOf, type PromptReader, promptTerms } from './prompt.js'
import type { ChunkFinder } from './ranking/chunk-finder.js'
import { MissingChunks, type RankedChunk, toMapKey, type VisibleDocuments } from './ranking/chunks.js'
import { UnembeddedChunks, VectorCache } from './ranking/unembedded-chunks.js'
import { withPassages } from './results.js'
import {
  type FoundChunks,
  readSearchable,
  type SearchableDocuments,
  type SearchRequest,
  wordVisibilityOf,
} from './search-request.js'
import type { SearchTurns } from './search-turns.js'

/**
 * Maximum number of attempts to find chunks that the storage has. The last attempt hides whole documents whose chunks
 * are missing, because more attempts take too much time.
 */
const MAX_ATTEMPTS = 16
/** Maximum number of times that a search begins again because a document was replaced meanwhile. */
const MAX_RESTARTS = 16
const STORED_PER_PAGE = 20
const NO_TERMS: LexicalQuery = new Map()

/** The objects that a search of a context needs. */
export interface ContextSearchParts {
  readonly storage: Storage
  readonly models: EmbeddingModels
  readonly prompts: PromptReader
  readonly turns: SearchTurns
  readonly finder: ChunkFinder
  readonly telemetry: Telemetry
}

/**
 * Searches one context whose settings are known. The indexes may have chunks that the storage no longer has, so each
 * answer is compared with the storage.
 */
export class ContextSearch {
  readonly #storage: Storage
  readonly #models: EmbeddingModels
  readonly #prompts: PromptReader
  readonly #turns: SearchTurns
  readonly #finder: ChunkFinder
  readonly #vectorCache = new VectorCache()
  readonly #telemetry: Telemetry
  readonly #tracer: Tracer

  constructor({ storage, models, prompts, turns, finder, telemetry }: ContextSearchParts) {
    this.#storage = storage
    this.#models = models
    this.#prompts = prompts
    this.#turns = turns
    this.#finder = finder
    this.#telemetry = telemetry
    this.#tracer = tracerOf(telemetry)
  }

  /** Finds the best chunks of the documents that are visible now. No work of the search goes on after it returns. */
  async find(context: ContextRecord, request: SearchRequest): Promise<FoundChunks> {
    const { mode, prompt, taker, prepared } = request
    const model = this.#models.get(context.embeddingModel)
    const terms: LexicalQuery = mode === 'semantic' ? NO_TERMS : (prepared?.terms ?? promptTerms(prompt))
    const searchEnd = new AbortController()
    let vectors: Promise<readonly Float32Array[]> | undefined
    return await withAnySignal([searchEnd.signal, request.signal], async (signal) => {
      try {
        signal.throwIfAborted()
        const { conditions } = request
        const visible = this.#readVisibility(context, { terms, conditions, missing: new MissingChunks() })
        // The promise is awaited below; this handler prevents an unhandled rejection if another step fails first.
        visible.catch(() => undefined)
        const windows = prepared === undefined ? await this.#prompts.read(taker, prompt, model, signal) : []
        // The model's threads may occupy all processors for some milliseconds. The word search must start before that.
        if (terms.size > 0) await visible
        signal.throwIfAborted()
        vectors =
          prepared?.vectors ?? embedWindows({ turns: this.#turns, tracer: this.#tracer }, model, windows, taker, signal)
        const found = await this.#findStored(context, model, vectors, { ...request, terms, visible, signal })
        // If the words find nothing, no step needs the vectors. A failure of the model must still reject the search.
        await vectors
        return found
      } finally {
        searchEnd.abort()
        await vectors?.catch(() => undefined)
      }
    })
  }

  /**
   * Finds chunks that the storage has. Repeats the search if the storage no longer has some of the found chunks, or if a
   * document was replaced during it: each search finds exactly one version of a document.
   */
  async #findStored(
    context: ContextRecord,
    model: EmbeddingModel,
    vectors: Promise<readonly Float32Array[]>,
    request: SearchRequest & PreparedSearch,
  ): Promise<FoundChunks> {
    const { mode, prompt, taker, signal, maxBytes, terms, conditions, prepared } = request
    // Each consumer of this promise gets the error; this handler only prevents an unhandled rejection before that.
    vectors.catch(() => undefined)
    const cache = this.#vectorCache.ofModel(model)
    const turns = this.#turns.ofModel(model)
    const unembedded = new UnembeddedChunks(this.#storage, model, turns, cache, prepared?.maxEmbeddedWindows)
    // Measured once for each search, not once for each attempt.
    const measureKnowledge = prepared?.measureKnowledge ?? knowledgeOf(prompt, model)
    const missing = new MissingChunks()
    for (let [attempt, restarts, visible] = [1, 0, await request.visible]; ; ) {
      const { ranked, scale } = await this.#finder.find({
        ...request,
        statistics: prepared?.statistics,
        vectors,
        collection: collectionOf(context, model.profile),
        visible: visible.byMeaning,
        wordCollection: wordCollectionOf(context),
        wordVisible: visible.byWords,
        measureKnowledge,
        hasStored: async (one) => await this.#hasStored(context, one, one === visible.byWords),
        embedNow: async (keys) => await unembedded.compare(keys, await vectors, taker, signal),
      })
      const maxBytesEach = maxBytes === undefined ? Infinity : Math.floor(maxBytes / ranked.length)
      const { versions } = visible
      const attributes = { 'alcove.search.hits': ranked.length }
      const [visibleRecords, windows, hasNewVersions] = await this.#tracer.span(
        'alcove.search.read',
        { attributes },
        () =>
          this.#storage.read(async ({ chunks, documents }) => [
            await chunks.findVisible(context.id, ranked, {
              maxBytes: maxBytesEach,
              ...(mode !== 'semantic' && { byWords: wordVisibilityOf(context) }),
            }),
            await chunks.listWindows(ranked.map(toWindowKey)),
            // After the chunks. The data of a replaced version is removed soon, so the search may have missed both.
            await documents.hasNewVersions(context.id, versions),
          ]),
      )
      // A context in which documents are replaced without a pause must not hold a search for ever.
      if (hasNewVersions && restarts < MAX_RESTARTS) {
        restarts += 1
        visible = await this.#readVisibility(context, { terms, conditions, missing })
        continue
      }
      // The metadata may have changed since the search began.
      const changed = visibleRecords.filter((record) => !meets(record, conditions))
      for (const { documentId } of changed) missing.documents.add(documentId)
      const records = visibleRecords.filter((record) => meets(record, conditions))
      if (records.length === ranked.length) return { ranked: withPassages(ranked, windows), records, terms, scale }
      const found = new Set(visibleRecords.map(toMapKey))
      const notFound = ranked.filter((key) => !found.has(toMapKey(key)))
      await this.#hideMissing(context.id, notFound, { missing, hidesDocuments: attempt >= MAX_ATTEMPTS })
      attempt += 1
      visible = await this.#readVisibility(context, { terms, conditions, missing })
    }
  }

  /**
   * Hides chunks that an index has and the storage does not have. If the document was deleted since the search began,
   * all its chunks are hidden. If the index has too many chunks of a live document, only those chunks are hidden.
   *
   * @param options.missing receives what the search hides from now on
   * @param options.hidesDocuments true to hide whole documents in any case: they have too many such chunks for one more
   *   attempt
   */
  async #hideMissing(
    contextId: number,
    chunks: readonly ChunkKey[],
    { missing, hidesDocuments }: { readonly missing: MissingChunks; readonly hidesDocuments: boolean },
  ): Promise<void> {
    const ids = [...new Set(chunks.map(({ documentId }) => documentId))]
    const [documents, counts] = await this.#storage.read(async (repositories) => [
      await repositories.documents.find(ids),
      await repositories.chunks.count(ids),
    ])
    const ofContext = documents.filter((document) => document.contextId === contextId && document.deleted === null)
    const live = new Map(ofContext.map((document) => [document.id, document]))
    for (const chunk of chunks) {
      const stored = counts.get(chunk.documentId)
      if (live.has(chunk.documentId) && stored !== undefined && !hidesDocuments) missing.add(chunk, stored)
      else missing.documents.add(chunk.documentId)
    }
    // A document that is not completed is not reported: its processing may have failed and removed its chunks.
    for (const { id, publicId: documentId, completed } of live.values()) {
      if (completed === null || (missing.reported.has(id) && !hidesDocuments)) continue
      missing.reported.add(id)
      const fields = { contextId, documentId, isDocumentHidden: hidesDocuments }
      this.#telemetry.record({ name: 'search.chunks.missing', level: 'warn', fields })
    }
  }

  /**
   * After an index had nothing: true if a document that the search may find is still there. Without this second read, a
   * deletion or a re-index of meanwhile would count as lost data.
   */
  async #hasStored(context: ContextRecord, visible: VisibleDocuments, isByWords: boolean): Promise<boolean> {
    const now = await this.#storage.read(({ contexts }) => contexts.get(context.id))
    if (now?.generation !== context.generation) return false
    const isStored = ({ id, deleted, generation, chunkCount, completed, wordsVersion }: DocumentRecord): boolean =>
      visible.has(id) &&
      deleted === null &&
      generation === null &&
      chunkCount > 0 &&
      (isByWords ? wordsVersion === ANALYZER_VERSION : completed !== null)
    const { documents: filter } = visible.filter
    const readIds = async (page: Page): Promise<readonly number[]> =>
      await this.#storage.read(({ documents }) => documents.listIds(context.id, page))
    const parts =
      filter && 'only' in filter ? inBatches([...filter.only], STORED_PER_PAGE) : pages(STORED_PER_PAGE, readIds)
    for await (const ids of parts) {
      if ((await this.#storage.read(({ documents }) => documents.find(ids))).some(isStored)) return true
    }
    return false
  }

  async #readVisibility(
    context: ContextRecord,
    {
      terms,
      conditions,
      missing,
    }: Pick<PreparedSearch, 'terms'> & Pick<SearchRequest, 'conditions'> & { readonly missing: MissingChunks },
  ): Promise<SearchableDocuments> {
    const rules = { conditions, hasTerms: terms.size > 0, missing }
    const searchable = await this.#storage.read(({ documents }) => readSearchable(documents, context, rules))
    if (searchable.versions.generation !== context.generation) throw new StaleContextError()
    return searchable
  }
}

/** The inputs that a search computes before it reads an index. */
interface PreparedSearch {
  readonly terms: LexicalQuery
  readonly visible: Promise<SearchableDocuments>
}

/** True if the document of a chunk meets conditions. */
function meets(
  { documentPublicId: publicId, metadata }: VisibleChunk,
  conditions: DocumentConditions | undefined,
): boolean {
  return meetsConditions({ publicId, metadata }, conditions)
}

function toWindowKey({ documentId, ordinal, window }: RankedChunk): VectorKey {
  return { documentId, chunk: ordinal, window }
}
