import { analyze, type Term, textParts } from '../../analysis/index.js'
import { wholeSentences } from '../../documents/index.js'
import type { TimeSlice } from '../../kernel/scheduling/time-slice.js'
import { bm25LengthFactor, bm25Maximum, bm25OfTerm, cosine } from '../../ports/index.js'
import { type Passage, selectDensest } from '../densest-passage.js'
import type { PromptTerms } from '../prompt-terms.js'
import { jointScore, type ScoreScale } from './fusion.js'
import { clamp } from './near-chunks.js'

/** A window of a chunk, with its vector. */
export interface VectorWindow extends Passage {
  /** `undefined` if the vector index does not have it yet. */
  readonly vector: Float32Array | undefined
}

/** A window of a found chunk, with the scores that it would have as a chunk of its own. */
export interface ScoredWindow extends Passage {
  /** 0 to 1, comparable within one search. */
  readonly score: number
  /** Cosine, limited to 0 to 1. */
  readonly similarity: number
  /** The sentences with most words of the prompt; `undefined` if its words tell nothing. */
  readonly match: Passage | undefined
}

/** The search that found the chunks. */
interface WindowQuery {
  readonly terms: PromptTerms
  /** Vectors of the prompt. */
  readonly vectors: readonly Float32Array[]
  readonly scale: ScoreScale
}

/** A longer window of a model with much room is scored in parts, in UTF-16 units. */
const [MAX_LENGTH, PART_LENGTH] = [2_000, 1_200]
/** The length of a usual window, in terms. All windows of one model have about the same length. */
const MEAN_LENGTH = 200
/** Weight of a word of the text that counts as another one of the prompt. */
const SIMILAR_WEIGHT = 0.5

/** A term of the text that counts as one of the prompt. */
interface CountedTerm extends Term {
  readonly weight: number
}

/** Scores the windows of a chunk by the rules for chunks. Works in slices of some milliseconds. */
export async function scoreWindows(
  content: string,
  windows: readonly VectorWindow[],
  query: WindowQuery,
  slice: TimeSlice,
): Promise<ScoredWindow[]> {
  const counted: CountedTerm[] = []
  const starts: number[] = []
  for (const part of textParts(content)) {
    for (const { term, start, end } of analyze(part.text)) {
      starts.push(part.start + start)
      const of = query.terms.termFor(term)
      if (of === undefined) continue
      const weight = of === term ? 1 : SIMILAR_WEIGHT
      counted.push({ term: of, start: part.start + start, end: part.start + end, weight })
    }
    await slice.pauseIfOver()
  }
  return windows.flatMap(partsOf).map(({ start, end, vector }) => {
    const inside = counted.filter((term) => term.start >= start && term.end <= end)
    const length = starts.filter((at) => at >= start && at < end).length
    const similarity = similarityOf(vector, query.vectors)
    const densest = selectDensest(inside, query.terms)
    return {
      ...{ start, end, similarity },
      score: scoreOf(similarity, wordScoreOf(inside, length, query.terms), query),
      match: densest?.tells === true ? wholeSentences(content, densest) : undefined,
    }
  })
}

/** @returns the window, or parts of a long one that overlap by a quarter or so */
function partsOf(window: VectorWindow): VectorWindow[] {
  const length = window.end - window.start
  if (length <= MAX_LENGTH) return [window]
  const count = Math.ceil(length / (PART_LENGTH * 0.75))
  const step = (length - PART_LENGTH) / (count - 1)
  return Array.from({ length: count }, (_, at) => {
    const start = window.start + Math.round(at * step)
    return { ...window, start, end: Math.min(window.end, start + PART_LENGTH) }
  })
}

function similarityOf(vector: Float32Array | undefined, queries: readonly Float32Array[]): number {
  if (vector === undefined) return 0
  return clamp(Math.max(0, ...queries.map((query) => cosine(vector, query))))
}

/** BM25 of a window. */
function wordScoreOf(terms: readonly CountedTerm[], length: number, { idfs }: PromptTerms): number {
  const frequencies = new Map<string, number>()
  for (const { term, weight } of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + weight)
  const lengthFactor = bm25LengthFactor(length, MEAN_LENGTH)
  let score = 0
  for (const [term, frequency] of frequencies) score += bm25OfTerm(idfs.get(term) ?? 0, frequency, lengthFactor)
  return score
}

function scoreOf(similarity: number, wordScore: number, { terms, scale }: WindowQuery): number {
  if (scale.by === 'both') return jointScore({ similarity, wordScore }, scale.question, scale.hasWords)
  return scale.by === 'words' ? clamp(wordScore / bm25Maximum(terms.idfs)) : similarity
}
