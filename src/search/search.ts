import { ASSISTANT, findReadable } from '../contexts/index.js'
import { collectionOf, type EmbeddingModels, wordCollectionOf } from '../documents/index.js'
import { withAnySignal } from '../kernel/abort.js'
import { NotFoundError } from '../kernel/errors.js'
import type { TurnTaker } from '../kernel/fair-scheduler.js'
import type { EngineLimits } from '../kernel/limits.js'
import { parseId } from '../kernel/validate.js'
import {
  type ChunkKey,
  type ContextRecord,
  type DocumentConditions,
  type EmbeddingModel,
  type LexicalQuery,
  meetsConditions,
  type Span,
  type Storage,
  type Telemetry,
  type Tracer,
  tracerOf,
  type VectorKey,
  type VersionMark,
  type VisibleChunk,
} from '../ports/index.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy/index.js'
import { ChunkFinder, type SearchIndexes } from './chunk-finder.js'
import { MissingChunks, type RankedChunk, toMapKey } from './chunks.js'
import { ExplainSearch } from './explain-search.js'
import type { SearchExplanation } from './explanation.js'
import { type ContextSearchResult, JoinedSearch } from './joined-search.js'
import { StaleContextError, withPresentContexts } from './present-contexts.js'
import { embedWindows, knowledgeOf, PromptReader, promptTerms } from './prompt.js'
import { readResults, type SearchResult, toResults, withPassages, withSizes } from './results.js'
import { parseSearch, type SearchOptions } from './search-input.js'
import {
  type FoundChunks,
  readSearchable,
  requestFor,
  type SearchableDocuments,
  type SearchRequest,
  wordVisibilityOf,
} from './search-request.js'
import { SearchTurns } from './search-turns.js'
import { UnembeddedChunks, VectorCache } from './unembedded-chunks.js'

/**
 * Maximum number of attempts to find chunks that the storage has. The last attempt hides whole documents whose chunks
 * are missing, because more attempts take too much time.
 */
const MAX_ATTEMPTS = 16
/** Maximum number of times that a search begins anew because a document was replaced meanwhile. */
const MAX_RESTARTS = 16
/** Maximum size of all texts of one answer that stay in memory while a slow client reads, in bytes: 128 KiB. */
const MAX_HELD_BYTES = 131_072

const NO_TERMS: LexicalQuery = new Map()

/** The use case "search": finds the chunks of a context that answer a prompt, by words and by meaning. */
export class Search {
  readonly #storage: Storage
  readonly #models: EmbeddingModels
  readonly #authorizer: Authorizer
  readonly #prompts: PromptReader
  readonly #turns: SearchTurns
  readonly #finder: ChunkFinder
  readonly #vectorCache = new VectorCache()
  readonly #telemetry: Telemetry
  readonly #tracer: Tracer
  readonly #joined: JoinedSearch
  readonly #explain: ExplainSearch

  constructor(
    storage: Storage,
    indexes: SearchIndexes,
    models: EmbeddingModels,
    authorizer: Authorizer,
    limits: EngineLimits,
    telemetry: Telemetry,
  ) {
    this.#storage = storage
    this.#models = models
    this.#authorizer = authorizer
    this.#prompts = new PromptReader(limits.promptTokens)
    this.#turns = new SearchTurns(limits, indexes.vectors, indexes.words)
    this.#finder = new ChunkFinder(indexes, this.#turns, telemetry)
    this.#telemetry = telemetry
    this.#tracer = tracerOf(telemetry)
    const parts = {
      storage,
      indexes,
      models,
      authorizer,
      prompts: this.#prompts,
      turns: this.#turns,
      tracer: this.#tracer,
    }
    const findChunks = async (context: ContextRecord, request: SearchRequest): Promise<FoundChunks> =>
      await this.#findChunks(context, request)
    this.#explain = new ExplainSearch({ ...parts, findChunks })
    this.#joined = new JoinedSearch({
      ...parts,
      findChunks,
      readTexts: async (caller, contextId, keys) => await this.#readTexts(caller, contextId, keys),
    })
  }

  /**
   * Searches take turns among companies, and within a company among its API keys. Each window of a prompt is embedded
   * in a turn of its own, and each read of an index has a turn of its own.
   *
   * @returns the `topN` best chunks of visible documents, the best first, none below `scoreThreshold`
   * @throws InvalidInputError for a prompt that is missing, blank, longer than 32,768 characters or longer than the
   *   limit `promptTokens`, and for unknown or invalid options
   * @throws ForbiddenError if the principal may not search
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`
   * @throws ThrottledError if the API key, or its company, already runs as many searches as its limit allows
   */
  async execute(
    principal: Principal,
    contextId: number,
    prompt: string,
    options: SearchOptions = {},
  ): Promise<SearchResult[]> {
    const { ranked, records, terms } = await this.#search(parsePrincipal(principal), contextId, prompt, options)
    return await toResults(ranked, terms, records)
  }

  /**
   * As {@link execute}, for a consumer that may be slow. If the texts have more than 128 KiB together, the engine reads
   * a few at a time, when the consumer asks for them. Each read checks the caller's rights at that time and leaves out
   * chunks that are deleted by then.
   *
   * @returns an array if the texts have at most 128 KiB together; otherwise an async iterable
   * @throws as {@link execute}, also while the consumer reads
   */
  async entries(
    principal: Principal,
    contextId: number,
    prompt: string,
    options: SearchOptions = {},
  ): Promise<readonly SearchResult[] | AsyncIterable<SearchResult>> {
    const caller = parsePrincipal(principal)
    const { ranked, records, terms } = await this.#search(caller, contextId, prompt, options, MAX_HELD_BYTES)
    if (records.every(({ content }) => content !== null)) return await toResults(ranked, terms, records)
    return readResults(
      withSizes(ranked, records),
      terms,
      async (keys) => await this.#readTexts(caller, contextId, keys),
    )
  }

  /**
   * Searches several contexts. Their models each embed the prompt once. Takes one place among the searches in progress,
   * as {@link execute} does.
   *
   * @returns the `topN` best chunks of all contexts, the best first: see `joinFairly`
   * @throws as {@link execute}; NotFoundError if the principal cannot read one of the contexts
   */
  async executeAll(
    principal: Principal,
    contextIds: readonly number[],
    prompt: string,
    options: SearchOptions = {},
  ): Promise<ContextSearchResult[]> {
    const caller = parsePrincipal(principal)
    return await this.#observed('several', caller, async (span) => {
      const found = await this.#turns.search(caller, async (taker) => {
        return await this.#joined.execute({ caller, taker, contextIds, prompt, options, span })
      })
      span.set({ 'alcove.search.results': found.length })
      return found
    })
  }

  /** Explains what {@link execute} finds, or why it finds nothing. @throws as {@link execute} */
  async explain(
    principal: Principal,
    contextId: number,
    prompt: string,
    options: SearchOptions = {},
  ): Promise<SearchExplanation> {
    const caller = parsePrincipal(principal)
    return await this.#observed('explanation', caller, async (span) => {
      return await this.#turns.search(caller, async (taker) => {
        return await this.#explain.execute({ caller, taker, contextId, prompt, options, span })
      })
    })
  }

  /** As {@link executeAll}, for a consumer that may be slow: see {@link entries}. */
  async entriesOfAll(
    principal: Principal,
    contextIds: readonly number[],
    prompt: string,
    options: SearchOptions = {},
  ): Promise<readonly ContextSearchResult[] | AsyncIterable<ContextSearchResult>> {
    const caller = parsePrincipal(principal)
    return await this.#observed('several', caller, async (span) => {
      return await this.#turns.search(caller, async (taker) => {
        return await this.#joined.entries({ caller, taker, contextIds, prompt, options, span }, MAX_HELD_BYTES)
      })
    })
  }

  async #search(
    caller: Principal,
    contextId: number,
    prompt: string,
    options: SearchOptions,
    maxBytes?: number,
  ): Promise<FoundChunks> {
    return await this.#observed('one', caller, async (span) => {
      const found = await this.#turns.search(caller, async (taker) => {
        return await this.#searchInTurn({ caller, taker, contextId, prompt, options, maxBytes }, span)
      })
      span.set({ 'alcove.search.results': found.ranked.length })
      return found
    })
  }

  async #searchInTurn(
    { caller, taker, contextId, prompt, options, maxBytes }: SearchCall,
    span: Span,
  ): Promise<FoundChunks> {
    const access = await this.#authorizer.authorize(caller, ASSISTANT, 'search')
    const id = parseId(contextId, 'contextId')
    const input = parseSearch(prompt, options)
    const readContext = async () => [await this.#storage.read((repositories) => findReadable(repositories, access, id))]
    return await withPresentContexts(this.#storage, readContext, async ([context]) => {
      if (context === undefined) throw new NotFoundError('context', id)
      const request = requestFor(context, input, taker)
      span.set({ 'alcove.context.id': id })
      span.label({ 'alcove.search.mode': request.mode })
      return await this.#findChunks(context, { ...request, maxBytes })
    })
  }

  /** Runs a search within its span, and reports it. */
  async #observed<T>(
    kind: 'one' | 'several' | 'explanation',
    { companyId }: Principal,
    search: (span: Span) => Promise<T>,
  ): Promise<T> {
    const startedAt = performance.now()
    const options = { labels: { 'alcove.search.kind': kind }, attributes: { 'alcove.company.id': companyId } }
    const found = await this.#tracer.span('alcove.search', options, search)
    const durationMs = performance.now() - startedAt
    this.#telemetry.record({ name: 'search.completed', level: 'debug', fields: { companyId, kind }, durationMs })
    return found
  }

  async #readTexts(caller: Principal, contextId: number, keys: readonly ChunkKey[]): Promise<readonly VisibleChunk[]> {
    const access = await this.#authorizer.authorize(caller, ASSISTANT, 'search')
    return await this.#storage.read(async (repositories) => {
      const context = await findReadable(repositories, access, contextId)
      return await repositories.chunks.findVisible(contextId, keys, { byWords: wordVisibilityOf(context) })
    })
  }

  /** Finds the best chunks of the documents that are visible now. No work of the search goes on after it returns. */
  async #findChunks(context: ContextRecord, request: SearchRequest): Promise<FoundChunks> {
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

  async #readVisibility(
    context: ContextRecord,
    {
      terms,
      conditions,
      missing,
    }: Pick<PreparedSearch, 'terms'> & Pick<SearchRequest, 'conditions'> & { readonly missing: MissingChunks },
  ): Promise<MarkedDocuments> {
    const rules = { conditions, hasTerms: terms.size > 0, missing }
    return await this.#storage.read(async ({ documents }) => {
      // First, so that no replacement after it is missed.
      const versions = await documents.markVersions(context.id)
      if (versions.generation !== context.generation) throw new StaleContextError()
      return { versions, ...(await readSearchable(documents, context, rules)) }
    })
  }
}

/** The unchecked arguments of a search of one context. */
interface SearchCall {
  readonly caller: Principal
  readonly taker: TurnTaker
  readonly contextId: number
  readonly prompt: string
  readonly options: SearchOptions
  readonly maxBytes: number | undefined
}

/** The inputs that a search computes before it reads an index. */
interface PreparedSearch {
  readonly terms: LexicalQuery
  readonly visible: Promise<MarkedDocuments>
}

interface MarkedDocuments extends SearchableDocuments {
  /** A moment before these documents were read. */
  readonly versions: VersionMark
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
