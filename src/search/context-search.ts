import { collectionOf, type EmbeddingModels, wordCollectionOf } from '../documents/index.js'
import { withAnySignal } from '../kernel/scheduling/abort.js'
import {
  type ChunkKey,
  type ContextRecord,
  type DocumentFilter,
  type EmbeddingModel,
  type LexicalIndex,
  type LexicalQuery,
  passesFilter,
  type Storage,
  type Telemetry,
  type Tracer,
  type VectorKey,
  type VisibleChunk,
} from '../ports/index.js'
import { evidenceOf } from './floor/evidence.js'
import type { SimilarityScales } from './floor/similarity-scales.js'
import { withKnownTerms } from './known-terms.js'
import type { PromptReader } from './prompt.js'
import { PromptTerms } from './prompt-terms.js'
import type { ChunkFinder } from './ranking/chunk-finder.js'
import type { ChunkRanking, ScoreScale } from './ranking/fusion.js'
import { BEST_CHUNKS, type RankedChunk, toMapKey, UnembeddedChunks, VectorCache } from './ranking/near-chunks.js'
import { Nearness } from './ranking/nearness.js'
import { RepeatCounts } from './ranking/repeat-counts.js'
import { Repeats } from './ranking/repeats.js'
import type { WordsOfPart } from './ranking/words-of-part.js'
import { type EmbeddedPrompt, embedPrompt, type ReadPrompt, readPrompt } from './read-prompt.js'
import type { Reranking } from './reranking/reranking.js'
import { type PlacedChunk, withPassages } from './results.js'
import type { SearchRequest } from './search-input.js'
import type { SearchTurns } from './search-turns.js'
import {
  MissingChunks,
  readSearchable,
  type SearchableDocuments,
  StaleContextError,
  StoredDocuments,
  wordVisibilityOf,
} from './searchable-documents.js'
import { unlessDamaged } from './unless-damaged.js'

/**
 * Maximum number of attempts to find chunks that the storage has. The last attempt hides whole documents whose chunks
 * are missing, because more attempts take too much time.
 */
const MAX_ATTEMPTS = 16
/** Maximum number of times that a search begins again because a document was replaced meanwhile. */
const MAX_RESTARTS = 16
/** Maximum number of chunks that a search reads to fill its list with different passages. */
const MAX_READ = 200
const NO_TERMS: LexicalQuery = new Map()

/** The objects that searches of one context, of several contexts, and explanations use. */
export interface SearchParts {
  readonly storage: Storage
  readonly words: LexicalIndex
  readonly models: EmbeddingModels
  readonly prompts: PromptReader
  readonly turns: SearchTurns
  readonly scales: SimilarityScales
  readonly tracer: Tracer
  /** Orders the best chunks, if the host has a reranker. */
  readonly reranking: Reranking | undefined
}

/** The chunks that a search found. */
export interface FoundChunks {
  /** The best first. */
  readonly ranked: readonly PlacedChunk[]
  /** The stored records of these chunks, in any order. */
  readonly records: readonly VisibleChunk[]
  readonly terms: PromptTerms
  readonly scale: ScoreScale
  /** Vectors of the prompt's windows. */
  readonly vectors: readonly Float32Array[]
  readonly words: ChunkRanking['words']
  /** Evidence that the documents answer the prompt, 0 to 1. Undefined if it was not measured. */
  readonly evidence?: number | undefined
}

/**
 * Searches one context whose settings are known. The indexes may have chunks that the storage no longer has, so each
 * answer is compared with the storage.
 */
export class ContextSearch {
  readonly #vectorCache = new VectorCache()
  readonly #nearness: Nearness
  readonly #repeatCounts = new RepeatCounts(MAX_READ)

  constructor(
    private readonly parts: SearchParts,
    private readonly finder: ChunkFinder,
    private readonly telemetry: Telemetry,
  ) {
    this.#nearness = new Nearness(parts.storage)
  }

  /** Finds the best chunks of the documents that are visible now. No work of the search goes on after it returns. */
  async find(context: ContextRecord, request: SearchRequest): Promise<FoundChunks> {
    const topN = Math.max(request.topN, BEST_CHUNKS)
    // Each text of the list may have its part of the limit.
    const maxBytes = request.maxBytes && (request.maxBytes / request.topN) * topN
    const found = await this.findCandidates(context, { ...request, topN, maxBytes })
    const { terms, scale } = found
    const { evidence, chunks } = await this.orderEvident(
      [context],
      found.ranked,
      found.records,
      (chunk) => chunk.terms ?? terms,
      scale,
      request,
    )
    const ranked = chunks.slice(0, request.topN)
    const keys = new Set(ranked.map(toMapKey))
    return { ...found, evidence, ranked, records: found.records.filter((record) => keys.has(toMapKey(record))) }
  }

  /**
   * Orders the best chunks by words near each other, if they are enough evidence that the contexts answer the prompt.
   *
   * @param contexts contexts with one model
   * @param ranked the best first
   * @param records with the texts of the chunks, as far as they are read
   * @returns no chunks if the evidence is too little; `undefined` as evidence if all results count anyway
   */
  async orderEvident<Chunk extends RankedChunk>(
    contexts: readonly ContextRecord[],
    ranked: readonly Chunk[],
    records: readonly VisibleChunk[],
    termsOf: (chunk: Chunk) => PromptTerms,
    scale: ScoreScale,
    request: EvidenceRequest,
  ): Promise<{ readonly evidence: number | undefined; readonly chunks: readonly Chunk[] }> {
    const evidence = await this.#measureEvidence(contexts, ranked, scale, request)
    if (evidence !== undefined && evidence < request.minEvidence) return { evidence, chunks: [] }
    return { evidence, chunks: await this.#nearness.order(ranked, records, termsOf, scale, request.signal) }
  }

  /**
   * Computes the evidence that the chunks answer the prompt: see `evidenceOf`.
   *
   * @returns `undefined` if all results count anyway
   */
  async #measureEvidence(
    contexts: readonly ContextRecord[],
    ranked: readonly RankedChunk[],
    scale: ScoreScale,
    { minEvidence, filter, taker, signal }: EvidenceRequest,
  ): Promise<number | undefined> {
    if (minEvidence === 0 || ranked.length === 0) return undefined
    const { words, turns } = this.parts
    const countChunks = async (): Promise<number> => {
      if (filter !== undefined) return 0
      const counts = contexts.map((each) => async () => (await words.statistics(wordCollectionOf(each), [])).chunks)
      const found = await unlessDamaged(turns.words.all(taker, counts, signal), [])
      return found.reduce((sum, count) => sum + count, 0)
    }
    return await evidenceOf(ranked, scale, countChunks)
  }

  /** As {@link find}, with results of any evidence, before words near each other have put the best in order. */
  async findCandidates(context: ContextRecord, request: SearchRequest): Promise<FoundChunks> {
    const { mode, prompt, taker, prepared } = request
    const model = this.parts.models.get(context.embeddingModel)
    let read = prepared ?? readPrompt(request)
    let terms: LexicalQuery = mode === 'semantic' ? NO_TERMS : read.whole.terms
    const searchEnd = new AbortController()
    let vectors: Promise<readonly Float32Array[]> | undefined
    return await withAnySignal([searchEnd.signal, request.signal], async (signal) => {
      try {
        signal.throwIfAborted()
        const { filter } = request
        const visible = this.#readVisible(context, { terms, filter, missing: new MissingChunks() })
        // The promise is awaited below; this handler prevents an unhandled rejection if another step fails first.
        visible.catch(() => undefined)
        const reading =
          prepared === undefined ? this.parts.prompts.read(taker, prompt, model, signal) : Promise.resolve([])
        reading.catch(() => undefined)
        if (prepared === undefined && terms.size > 0) {
          read = await withKnownTerms(this.parts, [wordCollectionOf(context)], read, taker, signal)
          terms = read.whole.terms
        }
        const windows = await reading
        // The model's threads may occupy all processors for some milliseconds. The word search must start before that.
        if (terms.size > 0) await visible
        signal.throwIfAborted()
        const embedded = prepared ?? embedPrompt(this.parts, model, read, windows, taker, signal)
        vectors = embedded.vectors
        const prompts = { read, embedded, terms, visible, signal }
        const found = await this.#findStored(context, model, { ...request, ...prompts })
        // If the words find nothing, no step needs the vectors. A failure of the model must still reject the search.
        await vectors
        return found
      } finally {
        searchEnd.abort()
        // A search that failed before its words were read waits for no choice.
        read.choice.decide({ part: read.whole, coverage: 1 })
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
    request: SearchRequest & PreparedSearch,
  ): Promise<FoundChunks> {
    const { mode, maxBytes, read, terms, filter, prepared, collapse } = request
    const { vectors, knowledge } = request.embedded
    // Each consumer of this promise gets the error; this handler only prevents an unhandled rejection before that.
    vectors.catch(() => undefined)
    const cache = this.#vectorCache.ofModel(model)
    const turns = this.parts.turns.ofModel(model)
    const unembedded = new UnembeddedChunks(this.parts.storage, model, turns, cache, prepared?.maxEmbeddedWindows)
    const stored = new StoredDocuments(this.parts.storage, context)
    const missing = new MissingChunks()
    const repeats = collapse === false ? undefined : new Repeats(this.parts.storage, collapse, context.overlap)
    let wanted = repeats === undefined ? request.topN : this.#repeatCounts.wanted(context.id, request.topN)
    for (let [attempt, restarts, visible] = [1, 0, await request.visible]; ; ) {
      const { ranked, scale, words } = await this.finder.find({
        ...request,
        ...read,
        topN: wanted,
        statistics: prepared?.statistics,
        vectors,
        collection: collectionOf(context, model.profile),
        visible: visible.byMeaning,
        wordCollection: wordCollectionOf(context),
        wordVisible: visible.byWords,
        knowledge,
        stored,
        unembedded,
      })
      const maxBytesEach = maxBytes === undefined ? Infinity : Math.floor(maxBytes / ranked.length)
      const { versions } = visible
      const attributes = { 'alcove.search.hits': ranked.length }
      const [visibleRecords, windows, hasNewVersions] = await this.parts.tracer.span(
        'alcove.search.read',
        { attributes },
        () =>
          this.parts.storage.read(async ({ chunks, documents }) => [
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
        visible = await this.#readVisible(context, { terms, filter, missing })
        continue
      }
      // The metadata may have changed since the search began.
      const changed = visibleRecords.filter((record) => !passes(record, filter))
      for (const { documentId } of changed) missing.documents.add(documentId)
      const records = visibleRecords.filter((record) => passes(record, filter))
      if (records.length === ranked.length) {
        const placed = withPassages(ranked, windows)
        const distinct = repeats === undefined ? placed : await repeats.without(placed, records, request.topN + 1)
        if (repeats !== undefined && distinct.length <= request.topN && ranked.length === wanted && wanted < MAX_READ) {
          wanted = Math.min(MAX_READ, wanted * 2)
          continue
        }
        if (repeats !== undefined) this.#repeatCounts.learn(context.id, ranked, distinct, request.topN)
        return {
          ...{
            ranked: withOwnTerms(distinct.slice(0, request.topN)),
            records,
            terms: promptTermsOf(words, terms),
            scale,
            words,
          },
          vectors: await vectors,
        }
      }
      const found = new Set(visibleRecords.map(toMapKey))
      const notFound = ranked.filter((key) => !found.has(toMapKey(key)))
      await this.#hideMissing(context.id, notFound, { missing, hidesDocuments: attempt >= MAX_ATTEMPTS })
      attempt += 1
      visible = await this.#readVisible(context, { terms, filter, missing })
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
    const [documents, counts] = await this.parts.storage.read(async (repositories) => [
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
      this.telemetry.record({ name: 'search.chunks.missing', level: 'warn', fields })
    }
  }

  async #readVisible(
    context: ContextRecord,
    options: {
      readonly terms: LexicalQuery
      readonly filter: DocumentFilter | undefined
      readonly missing: MissingChunks
    },
  ): Promise<SearchableDocuments> {
    const searchable = await readSearchable(this.parts.storage, context, {
      ...options,
      hasTerms: options.terms.size > 0,
    })
    if (searchable.versions.generation !== context.generation) throw new StaleContextError()
    return searchable
  }
}

type EvidenceRequest = Pick<SearchRequest, 'minEvidence' | 'filter' | 'taker' | 'signal'>

/** The inputs that a search computes before it reads an index. */
interface PreparedSearch {
  readonly read: ReadPrompt
  readonly embedded: EmbeddedPrompt
  readonly terms: LexicalQuery
  readonly visible: Promise<SearchableDocuments>
}

/** @returns the terms by which passages are chosen: those of the part that decided */
function promptTermsOf(words: WordsOfPart | undefined, terms: LexicalQuery = NO_TERMS): PromptTerms {
  return new PromptTerms(words?.part.terms ?? terms, words?.similar ?? new Map(), words?.idfs, words?.part.added)
}

/** Adds the terms of the question that found each chunk, if that is not the part that decided. */
function withOwnTerms(ranked: readonly PlacedChunk[]): PlacedChunk[] {
  const known = new Map<WordsOfPart, PromptTerms>()
  return ranked.map((chunk) => {
    if (chunk.question === undefined) return chunk
    const terms = known.get(chunk.question) ?? promptTermsOf(chunk.question)
    known.set(chunk.question, terms)
    return { ...chunk, terms }
  })
}

/** True if the document of a chunk passes the filter. */
function passes({ documentPublicId: publicId, metadata }: VisibleChunk, filter: DocumentFilter | undefined): boolean {
  return passesFilter({ publicId, metadata }, filter)
}

function toWindowKey({ documentId, ordinal, window }: RankedChunk): VectorKey {
  return { documentId, chunk: ordinal, window }
}
