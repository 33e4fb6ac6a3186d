import { ASSISTANT, findReadable } from '../contexts/index.js'
import { wordCollectionOf } from '../documents/index.js'
import { VectorsDamagedError } from '../kernel/errors.js'
import { withAnySignal } from '../kernel/scheduling/abort.js'
import type { TurnTaker } from '../kernel/scheduling/fair-scheduler.js'
import { TimeSlice } from '../kernel/scheduling/time-slice.js'
import type { ContextRecord, LexicalIndex, LexicalStatistics, Span, VisibleChunk } from '../ports/index.js'
import type { Authorizer, Principal } from '../tenancy/index.js'
import type { ContextSearch, SearchParts } from './context-search.js'
import {
  type ContextFinding,
  type ContextGroup,
  groupContexts,
  type JoinedChunk,
  joinFairly,
  sumStatistics,
} from './join.js'
import { withKnownTerms } from './known-terms.js'
import type { DecidingPart } from './prompt-parts.js'
import { BEST_CHUNKS, clamp, MAX_EMBEDDED_WINDOWS, toMapKey } from './ranking/near-chunks.js'
import { type EvidentHit, mostEvident } from './ranking/part-words.js'
import { embedPrompt, type ReadPrompt, readPrompt } from './read-prompt.js'
import { rerankCandidates } from './reranking/rerank-found.js'
import type { RerankCandidate, Reranking } from './reranking/reranking.js'
import { type SearchResult, splitBySize, toResults } from './results.js'
import { DEFAULT_MIN_EVIDENCE, modeOf, type PreparedPrompt, requestFor, type SearchAllInput } from './search-input.js'
import { type ReadableChunks, readSearchable, withPresentContexts } from './searchable-documents.js'
import { unlessDamaged } from './unless-damaged.js'

/** Maximum number of repeated searches of contexts whose found chunks are deleted before their texts are read. */
const MAX_REPEATS = 4
/** Number of the best chunks of a context that tell how well it covers a part of a prompt. */
const EVIDENT_HITS = 8
const NO_STATISTICS: LexicalStatistics = { chunks: 0, meanLength: 0, chunksWithTerm: new Map() }

/** A chunk that a search of several contexts found. */
export interface ContextSearchResult extends SearchResult {
  /** Id of the chunk's context. */
  readonly contextId: number
}

/** A search of several contexts, or of one. */
interface SearchAllCall {
  readonly caller: Principal
  readonly taker: TurnTaker
  /** Checks the arguments. */
  readonly parse: () => SearchAllInput
  /** Gets the number of contexts, once it is checked. */
  readonly span: Span
}

/** A checked search, with its contexts as they are now, and what it has found so far. */
interface JoinedRun {
  readonly contexts: readonly ContextRecord[]
  readonly input: SearchAllInput
  readonly taker: TurnTaker
  readonly topN: number
  /** Number of the best chunks that each context is searched for: more than `topN` for a reranker. */
  readonly searchedN: number
  /** By the id of the model. Undefined for a single context, which prepares its prompt itself. */
  readonly prepared: ReadonlyMap<string, PreparedPrompt> | undefined
  /** By the id of the context. */
  readonly findings: Map<number, ContextFinding>
}

/** Searches several contexts, one after the other, so that one call never has more work in progress than one search. */
export class JoinedSearch {
  constructor(
    private readonly parts: SearchParts,
    private readonly words: LexicalIndex,
    private readonly authorizer: Authorizer,
    private readonly contextSearch: ContextSearch,
    private readonly readable: ReadableChunks,
  ) {}

  /** @returns the `topN` best chunks, the best first */
  async execute(call: SearchAllCall): Promise<ContextSearchResult[]> {
    return await this.#withRun(
      call,
      async (run) => await this.#read(call.caller, run, await this.#best(call.caller, run)),
    )
  }

  /** @returns an array if the texts have at most `maxHeldBytes` together; otherwise an iterable that reads them late */
  async entries(
    call: SearchAllCall,
    maxHeldBytes: number,
  ): Promise<readonly ContextSearchResult[] | AsyncIterable<ContextSearchResult>> {
    return await this.#withRun(call, async (run) => {
      const chunks = await this.#best(call.caller, run)
      const bytes = chunks.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
      return bytes <= maxHeldBytes ? await this.#read(call.caller, run, chunks) : this.#stream(call.caller, chunks)
    })
  }

  /** Checks the call and searches its contexts. If one of them is re-indexed meanwhile, the search begins again. */
  async #withRun<T>({ caller, taker, parse, span }: SearchAllCall, use: (run: JoinedRun) => Promise<T>): Promise<T> {
    const { storage } = this.parts
    const access = await this.authorizer.authorize(caller, ASSISTANT, 'search')
    const input = parse()
    span.set({ 'alcove.search.contexts': input.contextIds.length })
    const readContexts = async () =>
      await storage.read(async (repositories) => {
        const found: ContextRecord[] = []
        for (const id of input.contextIds) found.push(await findReadable(repositories, access, id))
        return found
      })
    return await withPresentContexts(storage, readContexts, async (contexts) => {
      const [only, ...others] = contexts
      if (only !== undefined && others.length === 0) span.label({ 'alcove.search.mode': modeOf(only, input) })
      return await use(await this.#search(contexts, input, taker))
    })
  }

  async #search(contexts: readonly ContextRecord[], input: SearchAllInput, taker: TurnTaker): Promise<JoinedRun> {
    const topN = input.topN ?? Math.max(...contexts.map((context) => context.topN))
    const prepared =
      contexts.length > 1
        ? await withAnySignal([input.signal], async (signal) => await this.#prepare(contexts, input, taker, signal))
        : undefined
    const searchedN = this.parts.reranking?.countFor(topN) ?? topN
    const run = { contexts, input, taker, topN, searchedN, prepared, findings: new Map<number, ContextFinding>() }
    await this.#searchContexts(run, new Set(contexts.map(({ id }) => id)))
    return run
  }

  /** Searches these contexts, one after the other, and replaces what was found in them before. */
  async #searchContexts(
    { contexts, input, taker, searchedN, prepared, findings }: JoinedRun,
    ids: ReadonlySet<number>,
  ): Promise<void> {
    for (const context of contexts.filter(({ id }) => ids.has(id))) {
      input.signal?.throwIfAborted()
      const ofModel = prepared?.get(context.embeddingModel)
      const found = await this.contextSearch.findCandidates(context, {
        ...requestFor(context, input, taker),
        topN: Math.max(searchedN, BEST_CHUNKS),
        // The texts are read once the best of all contexts are known.
        maxBytes: 0,
        ...(ofModel && { prepared: ofModel }),
      })
      const { embeddingModel } = context
      const { fingerprint } = this.parts.models.get(embeddingModel).profile
      findings.set(context.id, { contextId: context.id, embeddingModel, fingerprint, found })
    }
  }

  /** Reads the words and embeds the prompt, once for each model. */
  async #prepare(
    contexts: readonly ContextRecord[],
    input: SearchAllInput,
    taker: TurnTaker,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, PreparedPrompt>> {
    const { models, prompts } = this.parts
    const withWords = contexts.filter((context) => modeOf(context, input) !== 'semantic')
    const collections = withWords.map((context) => wordCollectionOf(context))
    const plain = readPrompt(input)
    const read = await withKnownTerms(this.parts, collections, plain, taker, signal)
    const statistics = await this.#readStatistics(withWords, read, input, taker, signal)
    read.choice.decide(await this.#choosePart(withWords, read, statistics, input, taker, signal))
    const maxEmbeddedWindows = Math.ceil(MAX_EMBEDDED_WINDOWS / contexts.length)
    const prepared = new Map<string, PreparedPrompt>()
    for (const id of new Set(contexts.map(({ embeddingModel }) => embeddingModel))) {
      const model = models.get(id)
      const windows = await prompts.read(taker, input.prompt, model, signal)
      const { vectors, knowledge } = embedPrompt(this.parts, model, read, windows, taker, signal)
      await vectors
      prepared.set(id, { ...read, vectors, knowledge, statistics, maxEmbeddedWindows })
    }
    return prepared
  }

  /** Finds the part of the prompt that a chunk of any context covers best: it decides for all contexts. */
  async #choosePart(
    contexts: readonly ContextRecord[],
    { whole, parts, before }: ReadPrompt,
    statistics: LexicalStatistics,
    { filter }: SearchAllInput,
    taker: TurnTaker,
    signal: AbortSignal,
  ): Promise<DecidingPart> {
    const { storage, turns } = this.parts
    const all = [whole, ...parts]
    const isNeeded = parts.length > 0 || before.terms.size > 0
    const covered = all.map((part) => ({ part, maximum: 0, found: [] as EvidentHit[] }))
    for (const context of isNeeded ? contexts : []) {
      const { byWords } = await readSearchable(storage, context, { filter, hasTerms: true })
      const searches = all.map(({ terms, similarTo }) => async () => {
        const options = { limit: EVIDENT_HITS, similarTo, statistics, ...byWords.indexOptions }
        return await this.words.search(wordCollectionOf(context), terms, options)
      })
      // The search of a damaged context finds the same damage, and goes on by meaning alone.
      const answers = await unlessDamaged(turns.words.all(taker, searches, signal), [])
      for (const [at, { maximum, hits }] of answers.entries()) {
        const scored = hits.map(({ documentId, score }) => ({ documentId, wordScore: score }))
        const part = covered[at]
        if (part === undefined) continue
        part.found.push(...scored)
        part.maximum = Math.max(part.maximum, maximum)
      }
    }
    for (const { found } of covered) found.sort((one, other) => other.wordScore - one.wordScore)
    const { part, found, maximum } = mostEvident(covered) ?? { part: whole, found: [], maximum: 0 }
    return { part, coverage: clamp((found[0]?.wordScore ?? 0) / (maximum || 1)) }
  }

  async #readStatistics(
    contexts: readonly ContextRecord[],
    { whole, parts, before }: ReadPrompt,
    input: SearchAllInput,
    taker: TurnTaker,
    signal: AbortSignal,
  ): Promise<LexicalStatistics> {
    const { turns, tracer } = this.parts
    const terms = new Set([whole, ...parts, before].flatMap((part) => [...part.terms.keys()]))
    if (terms.size === 0) return NO_STATISTICS
    const all: LexicalStatistics[] = []
    const similarTo = new Set([whole, ...parts, before].flatMap((part) => [...part.similarTo]))
    for (const context of contexts) {
      const read = async (): Promise<LexicalStatistics> =>
        await this.words.statistics(wordCollectionOf(context), [...terms], similarTo)
      try {
        const inTurn = async (): Promise<LexicalStatistics> => await turns.words.one(taker, read, signal)
        all.push(await tracer.span('alcove.search.words', {}, inTurn))
      } catch (error) {
        // The search of this context finds the same damage, and goes on by meaning alone.
        if (!(error instanceof VectorsDamagedError) || modeOf(context, input) === 'keyword') throw error
      }
    }
    return sumStatistics(all)
  }

  /** @returns the `topN` best chunks of all contexts, the best first */
  async #best(caller: Principal, run: JoinedRun): Promise<readonly JoinedChunk[]> {
    const { reranking } = this.parts
    const findings = [...run.findings.values()]
    const records = findings.flatMap(({ found }) => found.records)
    const groups: ContextGroup[] = []
    const { minEvidence = DEFAULT_MIN_EVIDENCE, signal } = run.input
    for (const group of groupContexts(findings)) {
      const { chunks, scale, embeddingModel } = group
      const searched = run.contexts.filter((context) => context.embeddingModel === embeddingModel)
      const request = { minEvidence, filter: run.input.filter, taker: run.taker, signal }
      const found = await this.contextSearch.orderEvident(
        searched,
        chunks,
        records,
        ({ terms }) => terms,
        scale,
        request,
      )
      if (found.chunks.length > 0) groups.push({ ...group, chunks: found.chunks })
    }
    const chunks = joinFairly(groups).slice(0, run.searchedN)
    if (reranking === undefined) return chunks
    return (await this.#rerank(caller, run, chunks, reranking)).slice(0, run.topN)
  }

  async #rerank(
    caller: Principal,
    { input: { prompt, history, signal }, taker }: JoinedRun,
    chunks: readonly JoinedChunk[],
    reranking: Reranking,
  ): Promise<readonly JoinedChunk[]> {
    const candidates: RerankCandidate<JoinedChunk>[] = []
    const gone: JoinedChunk[] = []
    const slice = new TimeSlice()
    for (const part of splitBySize(chunks)) {
      const read = await rerankCandidates(part, await this.#readRecords(caller, part), ({ terms }) => terms, slice)
      const known = new Set(read.map(({ chunk }) => chunk))
      gone.push(...part.filter((chunk) => !known.has(chunk)))
      candidates.push(...read)
    }
    const reranked = await reranking.order({ prompt, history, taker, signal }, candidates)
    // The read of the results finds that the first ones are gone, and searches again.
    return [...gone, ...reranked.chunks]
  }

  /** Reads the texts of the best chunks. If some are deleted by now, searches their contexts again. */
  async #read(caller: Principal, run: JoinedRun, best: readonly JoinedChunk[]): Promise<ContextSearchResult[]> {
    for (let [repeat, chunks] = [0, best]; ; repeat += 1) {
      const records = await this.#readRecords(caller, chunks)
      const known = new Set(records.map(toMapKey))
      const missing = new Set(chunks.filter((chunk) => !known.has(toMapKey(chunk))).map(({ contextId }) => contextId))
      if (missing.size === 0 || repeat >= MAX_REPEATS) return await toContextResults(chunks, records)
      await this.#searchContexts(run, missing)
      chunks = await this.#best(caller, run)
    }
  }

  async *#stream(caller: Principal, chunks: readonly JoinedChunk[]): AsyncGenerator<ContextSearchResult> {
    for (const part of splitBySize(chunks)) yield* await toContextResults(part, await this.#readRecords(caller, part))
  }

  async #readRecords(caller: Principal, chunks: readonly JoinedChunk[]): Promise<readonly VisibleChunk[]> {
    const records: VisibleChunk[] = []
    for (const contextId of new Set(chunks.map((chunk) => chunk.contextId))) {
      const keys = chunks.filter((chunk) => chunk.contextId === contextId)
      records.push(...(await this.readable.read(caller, contextId, keys)))
    }
    return records
  }
}

/** @returns results in the order of the chunks, without chunks that have no record */
async function toContextResults(
  chunks: readonly JoinedChunk[],
  records: readonly VisibleChunk[],
): Promise<ContextSearchResult[]> {
  const recordByKey = new Map(records.map((record) => [toMapKey(record), record]))
  const slice = new TimeSlice()
  const results: ContextSearchResult[] = []
  for (const chunk of chunks) {
    const record = recordByKey.get(toMapKey(chunk))
    if (record === undefined) continue
    for (const result of await toResults([chunk], chunk.terms, [record], slice)) {
      results.push({ contextId: chunk.contextId, ...result })
    }
  }
  return results
}
