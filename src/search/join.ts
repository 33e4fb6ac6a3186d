import type { LexicalStatistics } from '../ports/index.js'
import type { FoundChunks } from './context-search.js'
import type { PromptTerms } from './prompt-terms.js'
import { type FusionQuestion, jointScore, type ScoreScale } from './ranking/fusion.js'
import { byRelevance } from './ranking/near-chunks.js'
import { type SizedChunk, withSizes } from './results.js'

/** The chunks that a search found in one context. */
export interface ContextFinding {
  readonly contextId: number
  readonly embeddingModel: string
  /** Fingerprint of the context's model: only similarities of the same model are comparable. */
  readonly fingerprint: string
  readonly found: FoundChunks
}

/** A chunk that a search of several contexts found. */
export interface JoinedChunk extends SizedChunk {
  readonly contextId: number
  /** The terms of the prompt in the search of its context. */
  readonly terms: PromptTerms
}

/** Contexts whose scores have one origin: the same model, and words, meaning or both. */
export interface ContextGroup {
  /** Number of contexts. */
  readonly contexts: number
  /** The best first. */
  readonly chunks: readonly JoinedChunk[]
  /** The origin of all its scores. */
  readonly scale: ScoreScale
  /** The model of its contexts. */
  readonly embeddingModel: string
}

/**
 * Groups the chunks that a search found in several contexts. The searches have used the statistics of the words of all
 * contexts together. Scores of different groups are not comparable. A group is ordered by score, as if its contexts were
 * one: a context with nothing good gets no place in it.
 */
export function groupContexts(findings: readonly ContextFinding[]): readonly ContextGroup[] {
  const groups = new Map<string, ContextFinding[]>()
  for (const finding of findings) {
    if (finding.found.ranked.length === 0) continue
    const key = groupKey(finding)
    groups.set(key, [...(groups.get(key) ?? []), finding])
  }
  return [...groups.values()].map(orderGroup)
}

/**
 * Joins groups by rank.
 *
 * - The best chunk of each group comes first. After that, a group with c contexts gets c places for each place of a group
 *   with one context. This is Adams's method of apportionment. No group is starved as long as there are as many results
 *   as groups.
 * - Chunks of equal rank are ordered by score, similarity and age: the same documents give the same order.
 * - With more than one group, the score of a chunk is 1 / (1 + r). Here r is the number of chunks of its group before it,
 *   divided by the number of contexts in the group.
 *
 * @returns all chunks, the best first
 */
export function joinFairly(groups: readonly ContextGroup[]): readonly JoinedChunk[] {
  const [only, ...others] = groups
  if (others.length === 0) return only?.chunks ?? []
  return groups
    .flatMap(({ contexts, chunks }) => chunks.map((chunk, before) => ({ chunk, rank: before / contexts })))
    .sort((one, other) => one.rank - other.rank || byRelevance(one.chunk, other.chunk))
    .map(({ chunk, rank }) => ({ ...chunk, score: 1 / (1 + rank) }))
}

/** Sums the statistics of the words of several contexts. */
export function sumStatistics(all: readonly LexicalStatistics[]): LexicalStatistics {
  const chunksWithTerm = new Map<string, number>()
  let [chunks, length] = [0, 0]
  for (const statistics of all) {
    chunks += statistics.chunks
    length += statistics.chunks * statistics.meanLength
    for (const [term, count] of statistics.chunksWithTerm) {
      chunksWithTerm.set(term, (chunksWithTerm.get(term) ?? 0) + count)
    }
  }
  return { chunks, meanLength: length / Math.max(1, chunks), chunksWithTerm }
}

/** Scores by words do not depend on the model. */
function groupKey({ fingerprint, found: { scale } }: ContextFinding): string {
  return scale.by === 'words' ? scale.by : `${scale.by} ${fingerprint}`
}

/** @param group contexts with comparable scores */
function orderGroup(group: readonly ContextFinding[]): ContextGroup {
  const scale = jointScaleOf(group.map(({ found }) => found.scale))
  const chunks = group.flatMap(({ contextId, found: { ranked, records, terms } }) =>
    withSizes(ranked, records).map((chunk) => ({
      ...chunk,
      contextId,
      terms: chunk.terms ?? terms,
      score: scoreOn(scale, chunk),
    })),
  )
  const { embeddingModel = '' } = group[0] ?? {}
  return { contexts: group.length, chunks: chunks.sort(byRelevance), scale, embeddingModel }
}

/**
 * Words count less than meaning only if a chunk of any context has a word of the prompt, so a context without such
 * chunks needs new scores. Its order stays the same.
 */
function jointScaleOf(scales: readonly ScoreScale[]): ScoreScale {
  const both = scales.filter((scale) => scale.by === 'both')
  if (both.length === 0) return scales[0] ?? { by: 'words' }
  const question: FusionQuestion = {
    wordMaximum: Math.max(...both.map((scale) => scale.question.wordMaximum)),
    modelKnowledge: Math.max(...both.map((scale) => scale.question.modelKnowledge)),
    // All searches of one model have the same value, unless the model was not measured in time for some.
    similarityScale: both.find((scale) => scale.question.similarityScale !== undefined)?.question.similarityScale,
  }
  const hasWords = both.some((scale) => scale.hasWords)
  const maxima = both.map((scale) => scale.evidenceMaximum)
  const evidenceMaximum = maxima.includes(undefined) ? undefined : Math.max(...maxima.map((each) => each ?? 0))
  return { by: 'both', question, hasWords, evidenceMaximum }
}

/** @returns the score of a chunk; its own if the scores of the searches are comparable already */
function scoreOn(scale: ScoreScale, { similarity, wordScore = 0, score }: SizedChunk): number {
  return scale.by === 'both' ? jointScore({ similarity, wordScore }, scale.question, scale.hasWords) : score
}
