import { ANALYZER_VERSION } from '../../analysis/index.js'
import { ASSISTANT, findReadable } from '../../contexts/index.js'
import { collectionOf, namesFor, wordCollectionOf } from '../../documents/index.js'
import { ModelError, NotFoundError } from '../../kernel/errors.js'
import { withAnySignal } from '../../kernel/scheduling/abort.js'
import type { TurnTaker } from '../../kernel/scheduling/fair-scheduler.js'
import { TimeSlice } from '../../kernel/scheduling/time-slice.js'
import { parseId } from '../../kernel/validate.js'
import type {
  ContextRecord,
  DocumentStateCounts,
  EmbeddingModel,
  IndexedChunk,
  LexicalAnswer,
  Span,
} from '../../ports/index.js'
import type { Access, Authorizer, Principal } from '../../tenancy/index.js'
import type { ContextSearch, FoundChunks, SearchParts } from '../context-search.js'
import { historyTexts } from '../history-words.js'
import { withKnownTerms } from '../known-terms.js'
import type { PromptKnowledge } from '../prompt.js'
import type { PromptPart } from '../prompt-parts.js'
import type { PromptTerms } from '../prompt-terms.js'
import type { SearchIndexes } from '../ranking/index-reader.js'
import { BestWindows, clamp, type RankedChunk, toMapKey } from '../ranking/near-chunks.js'
import type { CoveredPart } from '../ranking/word-side.js'
import { type EmbeddedPrompt as BeganPrompt, embedPrompt, type ReadPrompt, readPrompt } from '../read-prompt.js'
import { rerankFound } from '../reranking/rerank-found.js'
import { type SearchResult, toResults } from '../results.js'
import { parseSearch, requestFor, type SearchOptions, type SearchRequest } from '../search-input.js'
import {
  type ReadableChunks,
  readSearchable,
  requirePresent,
  type SearchableDocuments,
  withPresentContexts,
} from '../searchable-documents.js'
import { unlessDamaged } from '../unless-damaged.js'
import type {
  ExplainedDocuments,
  ExplainedHit,
  ExplainedPart,
  ExplainedReranking,
  ExplainedWord,
  SearchExplanation,
} from './explanation.js'
import { explainWords, PromptWords } from './prompt-words.js'
import { reasonsFor } from './reasons.js'

/** Number of the best windows and of the best chunks by words in which an explanation finds the ranks of the results. */
const RANKED = 200

/** The unchecked arguments of an explanation. */
interface ExplainCall {
  readonly caller: Principal
  readonly taker: TurnTaker
  readonly contextId: number
  readonly prompt: string
  readonly options: SearchOptions
  /** Gets the id of the context, once it is checked. */
  readonly span: Span
}

/** The model of a context with the vectors of the prompt. */
interface EmbeddedPrompt {
  readonly model: EmbeddingModel
  readonly vectors: readonly Float32Array[]
  readonly knowledge: PromptKnowledge
}

/** The chunks of a search in their final order. */
interface RerankedFinding {
  readonly found: FoundChunks
  readonly reranking: ExplainedReranking | null
  /** Places and scores before the reranker, by the key of the chunk; undefined if it did not make the order. */
  readonly before: ReadonlyMap<string, { readonly rank: number; readonly score: number }> | undefined
}

/** The model of a context with a prompt that it begins to embed. */
interface Beginning extends BeganPrompt {
  readonly model: EmbeddingModel
}

/** The best chunks of both sides, of any similarity. */
interface Ranking {
  /** Places by meaning, by the key of the chunk. */
  readonly byMeaning: ReadonlyMap<string, number>
  /** The highest similarity of any chunk; null without chunks. */
  readonly nearest: number | null
  readonly words: LexicalAnswer | undefined
}

/**
 * Explains the results of a search, or their absence. Runs the search, then reads the best of both indexes a second
 * time, so it costs about as much as two searches. It says nothing about documents that the caller may not search, and
 * needs the right to read contexts.
 */
export class ExplainSearch {
  readonly #words: PromptWords

  constructor(
    private readonly parts: SearchParts,
    private readonly indexes: SearchIndexes,
    private readonly authorizer: Authorizer,
    private readonly contextSearch: ContextSearch,
    private readonly readable: ReadableChunks,
  ) {
    this.#words = new PromptWords(parts, indexes.words)
  }

  async execute({ caller, taker, contextId, prompt, options, span }: ExplainCall): Promise<SearchExplanation> {
    await this.authorizer.authorize(caller, ASSISTANT, 'search')
    // An explanation counts documents and names contexts, which a search alone does not.
    const access = await this.authorizer.authorize(caller, ASSISTANT, 'context:read')
    const id = parseId(contextId, 'contextId')
    const input = parseSearch(prompt, options)
    span.set({ 'alcove.context.id': id })
    return await withAnySignal([input.signal], async (signal) => {
      signal.throwIfAborted()
      const { storage } = this.parts
      const readContext = async () => [await storage.read((repositories) => findReadable(repositories, access, id))]
      return await withPresentContexts(storage, readContext, async ([context]) => {
        if (context === undefined) throw new NotFoundError('context', id)
        const request = { ...requestFor(context, input, taker), signal }
        const explanation = await this.#explain(access, context, request, signal)
        await requirePresent(storage, context)
        return explanation
      })
    })
  }

  async #explain(
    access: Access,
    context: ContextRecord,
    request: SearchRequest,
    signal: AbortSignal,
  ): Promise<SearchExplanation> {
    const { prompt, history, mode, topN, scoreThreshold, taker } = request
    const plain = readPrompt(request)
    const read = await withKnownTerms(this.parts, [wordCollectionOf(context)], plain, taker, signal)
    const { terms } = read.whole
    const visible = await readSearchable(this.parts.storage, context, { filter: request.filter, hasTerms: true })
    const { terms: before } = read.before
    const all = new Map([...before, ...terms])
    const counts = await this.#words.count(context, all, visible.byWords, taker, signal)
    let words = explainWords([prompt, ...historyTexts(history)], [terms, before], counts)
    let modelProblem: string | undefined
    let embedded: EmbeddedPrompt | undefined
    let hits: readonly ExplainedHit[] = []
    let ranking: Ranking = { byMeaning: new Map(), nearest: null, words: undefined }
    let bestSimilarity: number | null = null
    let reranking = this.#explainReranking(0, null)
    let covered: readonly CoveredPart[] = []
    let evidence: number | null = null
    try {
      const beginning = await this.#embed(context, prompt, read, taker, signal)
      const prepared = { ...read, ...beginning }
      const searchedN = this.parts.reranking?.countFor(topN) ?? topN
      const finding = this.contextSearch.find(context, { ...request, topN: searchedN, prepared })
      // Missing vectors are a reason for an empty answer. The ranking reads damaged ones too, and throws.
      const found = await (mode === 'keyword' && terms.size > 0 ? finding : unlessDamaged(finding, undefined))
      // A search that failed has chosen no part.
      read.choice.decide({ part: read.whole, coverage: 1 })
      const part = found?.words?.part ?? read.whole
      covered = found?.words?.parts ?? []
      evidence = found?.evidence ?? null
      embedded = { model: beginning.model, vectors: await beginning.vectors, knowledge: beginning.knowledge }
      ranking = await this.#rank(context, embedded, part, visible, taker, signal)
      words = words.map((word) => ({ ...word, similar: similarIn(found?.words ?? ranking.words, word.term) }))
      if (found !== undefined) {
        const reranked = await this.#rerank(access, context, found, { ...request, signal })
        reranking = reranked.reranking
        hits = await this.#explainHits(reranked, ranking, taker, signal)
      }
      bestSimilarity =
        mode === 'keyword' && terms.size > 0
          ? await this.#bestOfWords(context, embedded, ranking, taker, signal)
          : ranking.nearest
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      modelProblem = error.message
    }
    for (const { similarity } of hits) bestSimilarity = Math.max(bestSimilarity ?? 0, similarity)
    const states = await this.parts.storage.read(({ documents }) => documents.countStates(context.id, ANALYZER_VERSION))
    const explanation = {
      contextId: context.id,
      mode,
      topN,
      scoreThreshold,
      model: { id: context.embeddingModel, knowledge: (await embedded?.knowledge.measure())?.modelKnowledge ?? null },
      documents: { ...toDocuments(states, context), filtered: countVisible(visible) },
      bestSimilarity,
      evidence,
      parts: explainParts(covered),
      words,
      reranking,
    }
    const isComplete = states.waiting + states.failed === 0 && request.filter === undefined
    const isElsewhere =
      hits.length === 0 && isComplete && !words.some((word) => word.documents > 0 && !word.isQuestionWord)
    const reasons = reasonsFor({
      ...explanation,
      hitCount: hits.length,
      minEvidence: request.minEvidence,
      findsEarly: context.findsEarly,
      isFilterEmpty: visible.filtered?.size === 0,
      waitingWithWords: states.waitingWithWords,
      hasVectors: ranking.nearest !== null,
      modelProblem,
      otherContext: isElsewhere ? await this.#words.findOther(access, context, words, taker, signal) : undefined,
    })
    return { ...explanation, hits, reasons }
  }

  async #embed(
    context: ContextRecord,
    prompt: string,
    read: ReadPrompt,
    taker: TurnTaker,
    signal: AbortSignal,
  ): Promise<Beginning> {
    const { models, prompts } = this.parts
    const model = models.get(context.embeddingModel)
    const windows = await prompts.read(taker, prompt, model, signal)
    return { model, ...embedPrompt(this.parts, model, read, windows, taker, signal) }
  }

  async #rank(
    context: ContextRecord,
    { model, vectors }: EmbeddedPrompt,
    { terms, similarTo }: PromptPart,
    visible: SearchableDocuments,
    taker: TurnTaker,
    signal: AbortSignal,
  ): Promise<Ranking> {
    const { turns } = this.parts
    const collection = collectionOf(context, model.profile)
    const options = { limit: RANKED, ...visible.byMeaning.indexOptions }
    const searches = vectors.map((vector) => async () => await this.indexes.vectors.search(collection, vector, options))
    const best = new BestWindows()
    for (const hit of (await turns.vectors.all(taker, searches, signal)).flat()) {
      if (visible.byMeaning.has(hit.documentId)) best.addHit(hit)
    }
    const ranked = best.ranked(0)
    const search = async () =>
      await this.indexes.words.search(wordCollectionOf(context), terms, {
        limit: RANKED,
        similarTo,
        ...visible.byWords.indexOptions,
      })
    return {
      byMeaning: new Map(ranked.map((chunk, at) => [toMapKey(chunk), at + 1])),
      nearest: ranked[0]?.similarity ?? null,
      words: terms.size === 0 ? undefined : await unlessDamaged(turns.words.one(taker, search, signal), undefined),
    }
  }

  /** @returns the highest similarity of the best chunks by words; null without such chunks */
  async #bestOfWords(
    context: ContextRecord,
    { model, vectors }: EmbeddedPrompt,
    { words }: Ranking,
    taker: TurnTaker,
    signal: AbortSignal,
  ): Promise<number | null> {
    const { turns } = this.parts
    const chunks = (words?.hits ?? []).map(({ documentId, chunk }) => ({ documentId, chunk }))
    if (chunks.length === 0) return null
    const collection = collectionOf(context, model.profile)
    const compare = async () => await this.indexes.vectors.nearestWindows(collection, vectors, chunks)
    const nearest = await turns.vectors.one(taker, compare, signal)
    const similarities = nearest.flatMap((window) => (window === undefined ? [] : [clamp(window.similarity)]))
    return similarities.length === 0 ? null : Math.max(...similarities)
  }

  /** @returns the `topN` best chunks in the order of the reranker, with texts that the caller may read after its call */
  async #rerank(
    { principal }: Access,
    { id }: ContextRecord,
    found: FoundChunks,
    request: SearchRequest,
  ): Promise<RerankedFinding> {
    const { reranking } = this.parts
    if (reranking === undefined) return { found, reranking: null, before: undefined }
    const reranked = await rerankFound(reranking, this.readable, principal, id, found, request)
    const { candidates, problem } = reranked
    const places = found.ranked.map((chunk, at) => [toMapKey(chunk), { rank: at + 1, score: chunk.score }] as const)
    return {
      found: reranked.found,
      reranking: this.#explainReranking(candidates, problem ?? null),
      before: problem === undefined ? new Map(places) : undefined,
    }
  }

  #explainReranking(chunks: number, problem: string | null): ExplainedReranking | null {
    const { reranking } = this.parts
    return reranking === undefined ? null : { id: reranking.id, chunks, problem }
  }

  async #explainHits(
    { found: { ranked, records, terms }, before }: RerankedFinding,
    { byMeaning, words }: Ranking,
    taker: TurnTaker,
    signal: AbortSignal,
  ): Promise<ExplainedHit[]> {
    const keys = ranked.map(toIndexed)
    const readScores = async (): Promise<readonly number[]> => (await words?.scoresOf(keys)) ?? []
    const scores = await unlessDamaged(this.parts.turns.words.one(taker, readScores, signal), [])
    const placeByWords = new Map(
      (words?.hits ?? []).map(({ documentId, chunk }, at) => [`${documentId}:${chunk}`, at + 1]),
    )
    const slice = new TimeSlice()
    const hits: ExplainedHit[] = []
    for (const [at, chunk] of ranked.entries()) {
      const key = toMapKey(chunk)
      const ofChunk = records.filter((record) => toMapKey(record) === key)
      for (const { content, ...result } of await toResults([chunk], terms, ofChunk, slice)) {
        hits.push({
          ...result,
          passage: content.slice(result.match.start, result.match.end),
          words: {
            rank: placeByWords.get(key) ?? null,
            // Another part of the prompt may have found the chunk.
            score: Math.max(scores[at] ?? 0, chunk.question === undefined ? 0 : (chunk.wordScore ?? 0)),
            inNames: termsInNames(result, chunk.terms ?? terms),
          },
          meaning: { rank: byMeaning.get(key) ?? null, similarity: result.similarity },
          beforeReranking: before?.get(key) ?? null,
        })
      }
    }
    return hits
  }
}

/** @returns the parts of a prompt with several, in their order */
function explainParts(covered: readonly CoveredPart[]): ExplainedPart[] {
  return covered.map(({ part, best, maximum, decides }) => {
    return { text: part.text.trim(), isQuestion: part.isQuestion, score: best, maximum, decides }
  })
}

/** @returns the terms that counted as a term of the prompt, the most alike first */
function similarIn(words: Pick<LexicalAnswer, 'similar'> | undefined, term: string): ExplainedWord['similar'] {
  return [...(words?.similar?.get(term)?.terms ?? [])].map(([similar, weight]) => ({ term: similar, weight }))
}

function termsInNames({ source }: Pick<SearchResult, 'source'>, terms: PromptTerms): readonly string[] {
  const found = namesFor(source.displayName)(source.headings).flatMap((term) => terms.termFor(term) ?? [])
  return [...new Set(found)]
}

/** @returns the number of documents that the filter selects and that the search may find; null without a filter */
function countVisible({ filtered, byMeaning, byWords }: SearchableDocuments): number | null {
  return filtered === undefined ? null : [...filtered].filter((id) => byMeaning.has(id) || byWords.has(id)).length
}

function toDocuments(states: DocumentStateCounts, { findsEarly }: ContextRecord): Omit<ExplainedDocuments, 'filtered'> {
  return {
    total: states.completed + states.waiting + states.failed,
    searchable: states.completed,
    waiting: states.waiting,
    foundByWordsOnly: findsEarly ? states.waitingWithWords : 0,
    failed: states.failed,
    withoutWords: states.completedWithoutWords,
  }
}

function toIndexed({ documentId, ordinal }: RankedChunk): IndexedChunk {
  return { documentId, chunk: ordinal }
}
