import { ASSISTANT, findReadable } from '../contexts/index.js'
import type { EmbeddingModels } from '../documents/index.js'
import { NotFoundError } from '../kernel/errors.js'
import type { EngineLimits } from '../kernel/limits.js'
import type { TurnTaker } from '../kernel/scheduling/fair-scheduler.js'
import { parseId } from '../kernel/validate.js'
import {
  type ContextRecord,
  type Reranker,
  type Span,
  type Storage,
  type Telemetry,
  type Tracer,
  tracerOf,
} from '../ports/index.js'
import { type Authorizer, type CallTurns, type Principal, parsePrincipal } from '../tenancy/index.js'
import { ContextSearch, type FoundChunks } from './context-search.js'
import { ExplainSearch } from './explain/explain-search.js'
import type { SearchExplanation } from './explain/explanation.js'
import { SimilarityScales } from './floor/similarity-scales.js'
import { type ChunkWindows, FoundWindows } from './found-windows.js'
import { type ContextSearchResult, JoinedSearch } from './joined-search.js'
import { PromptReader } from './prompt.js'
import { ChunkFinder } from './ranking/chunk-finder.js'
import { IndexReader, type SearchIndexes } from './ranking/index-reader.js'
import type { RepeatKind } from './ranking/repeats.js'
import { rerankFound } from './reranking/rerank-found.js'
import { Reranking } from './reranking/reranking.js'
import { readResults, type SearchResult, toResults, withSizes } from './results.js'
import {
  parseSearch,
  parseSearchAll,
  requestFor,
  type SearchAllInput,
  type SearchOptions,
  type SearchRequest,
} from './search-input.js'
import { SearchTurns } from './search-turns.js'
import { ReadableChunks, withPresentContexts } from './searchable-documents.js'

/** Maximum size of all texts of one answer that stay in memory while a slow client reads, in bytes: 128 KiB. */
const MAX_HELD_BYTES = 131_072

/** The use case "search": finds the chunks of a context that answer a prompt, by words and by meaning. */
export class Search {
  readonly #turns: SearchTurns
  readonly #tracer: Tracer
  readonly #readable: ReadableChunks
  readonly #ofContext: ContextSearch
  readonly #joined: JoinedSearch
  readonly #explain: ExplainSearch
  readonly #windows: FoundWindows
  readonly #reranking: Reranking | undefined

  constructor(
    private readonly storage: Storage,
    indexes: SearchIndexes,
    models: EmbeddingModels,
    private readonly authorizer: Authorizer,
    calls: CallTurns,
    limits: EngineLimits,
    private readonly telemetry: Telemetry,
    reranker: Reranker | undefined,
  ) {
    this.#turns = new SearchTurns(limits, calls, indexes.vectors, indexes.words)
    this.#tracer = tracerOf(telemetry)
    const prompts = new PromptReader(limits.promptTokens)
    const reranking = reranker && new Reranking(reranker, telemetry)
    this.#reranking = reranking
    const parts = {
      storage,
      words: indexes.words,
      models,
      prompts,
      turns: this.#turns,
      scales: new SimilarityScales(storage),
      tracer: this.#tracer,
      reranking,
    }
    const finder = new ChunkFinder(new IndexReader(indexes, this.#turns, telemetry))
    this.#readable = new ReadableChunks(storage, authorizer)
    this.#ofContext = new ContextSearch(parts, finder, telemetry)
    this.#windows = new FoundWindows(parts, indexes.vectors)
    this.#explain = new ExplainSearch(parts, indexes, authorizer, this.#ofContext, this.#readable)
    this.#joined = new JoinedSearch(parts, indexes.words, authorizer, this.#ofContext, this.#readable)
  }

  /**
   * Searches take turns among companies, and within a company among its API keys. Each window of a prompt is embedded
   * in a turn of its own, and each read of an index has a turn of its own. With a reranker, its scores order the best
   * chunks, and are their `score`.
   *
   * @returns the `topN` best chunks of visible documents, the best first, none below `scoreThreshold`
   * @throws InvalidInputError for a prompt that is missing, blank or longer than 32,768 characters, and for unknown or
   *   invalid options
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
    const caller = parsePrincipal(principal)
    if (this.#reranking !== undefined) {
      const results: SearchResult[] = []
      for await (const result of await this.#rerankedOf(caller, contextId, prompt, options, Infinity)) {
        results.push(result)
      }
      return results
    }
    const { ranked, records, terms } = await this.#search(caller, contextId, prompt, options)
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
    if (this.#reranking !== undefined) return await this.#rerankedOf(caller, contextId, prompt, options, MAX_HELD_BYTES)
    const { ranked, records, terms } = await this.#search(caller, contextId, prompt, options, MAX_HELD_BYTES)
    if (records.every(({ content }) => content !== null)) return await toResults(ranked, terms, records)
    return readResults(withSizes(ranked, records), terms, this.#readable, { caller, contextId })
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
        return await this.#joined.execute({
          caller,
          taker,
          span,
          parse: () => parseSearchAll(contextIds, prompt, options),
        })
      })
      span.set({ 'alcove.search.results': found.length })
      return found
    })
  }

  /** As {@link execute}, with all windows of the chunks, each with a score. */
  async windows(
    principal: Principal,
    contextId: number,
    prompt: string,
    options: SearchOptions = {},
  ): Promise<ChunkWindows[]> {
    const caller = parsePrincipal(principal)
    return await this.#observed('one', caller, async (span) => {
      return await this.#turns.search(caller, async (taker) => {
        const call = { caller, taker, contextId, prompt, options, maxBytes: undefined }
        return await this.#searchInTurn(
          call,
          span,
          async (context, request) => {
            const found = await this.#findReranked(caller, context, request)
            return await this.#windows.read(context, request, found)
          },
          'copies',
        )
      })
    })
  }

  /** Finds chunks, with the scores of the reranker if there is one. */
  async #findReranked(caller: Principal, context: ContextRecord, request: SearchRequest): Promise<FoundChunks> {
    const reranking = this.#reranking
    if (reranking === undefined) return await this.#ofContext.find(context, request)
    const found = await this.#ofContext.find(context, { ...request, topN: reranking.countFor(request.topN) })
    return (await rerankFound(reranking, this.#readable, caller, context.id, found, request)).found
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
        const parse = (): SearchAllInput => parseSearchAll(contextIds, prompt, options)
        return await this.#joined.entries({ caller, taker, span, parse }, MAX_HELD_BYTES)
      })
    })
  }

  /** Searches one context as the search of several does, which has the reranker. */
  async #rerankedOf(
    caller: Principal,
    contextId: number,
    prompt: string,
    options: SearchOptions,
    maxHeldBytes: number,
  ): Promise<Several<SearchResult>> {
    return await this.#observed('one', caller, async (span) => {
      const parse = (): SearchAllInput => {
        const id = parseId(contextId, 'contextId')
        span.set({ 'alcove.context.id': id })
        return { contextIds: [id], ...parseSearch(prompt, options) }
      }
      return await this.#turns.search(caller, async (taker) => {
        return withoutContexts(await this.#joined.entries({ caller, taker, span, parse }, maxHeldBytes))
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
        const call = { caller, taker, contextId, prompt, options, maxBytes }
        return await this.#searchInTurn(call, span, async (context, request) => {
          return await this.#ofContext.find(context, request)
        })
      })
      span.set({ 'alcove.search.results': found.ranked.length })
      return found
    })
  }

  async #searchInTurn<T>(
    { caller, taker, contextId, prompt, options, maxBytes }: SearchCall,
    span: Span,
    search: (context: ContextRecord, request: SearchRequest) => Promise<T>,
    repeats: RepeatKind = 'overlaps',
  ): Promise<T> {
    const access = await this.authorizer.authorize(caller, ASSISTANT, 'search')
    const id = parseId(contextId, 'contextId')
    const input = parseSearch(prompt, options)
    const readContext = async () => [await this.storage.read((repositories) => findReadable(repositories, access, id))]
    return await withPresentContexts(this.storage, readContext, async ([context]) => {
      if (context === undefined) throw new NotFoundError('context', id)
      const request = { ...requestFor(context, input, taker, repeats), maxBytes }
      span.set({ 'alcove.context.id': id })
      span.label({ 'alcove.search.mode': request.mode })
      return await search(context, request)
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
    this.telemetry.record({ name: 'search.completed', level: 'debug', fields: { companyId, kind }, durationMs })
    return found
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

type Several<Result> = readonly Result[] | AsyncIterable<Result>

function withoutContexts(found: Several<ContextSearchResult>): Several<SearchResult> {
  return Symbol.asyncIterator in found ? eachWithoutContext(found) : found.map(withoutContext)
}

async function* eachWithoutContext(found: AsyncIterable<ContextSearchResult>): AsyncGenerator<SearchResult> {
  for await (const result of found) yield withoutContext(result)
}

function withoutContext({ contextId: _, ...result }: ContextSearchResult): SearchResult {
  return result
}
