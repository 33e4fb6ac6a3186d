import type { SimilarTerms } from '../../ports/index.js'
import type { PromptPart } from '../prompt-parts.js'
import { MIN_WORD_MAXIMUM } from './fusion.js'
import type { WordHit, WordSide } from './index-reader.js'
import { toMapKey } from './near-chunks.js'

/** A part of a prompt, as the words of a context cover it. */
export interface CoveredPart {
  readonly part: PromptPart
  /** BM25 of its best chunk. */
  readonly best: number
  /** The BM25 that no chunk can exceed. */
  readonly maximum: number
  /** True for the part that decides. Without such a part, the whole prompt decides. */
  readonly decides: boolean
}

/** Factor for a part that ends with a question mark: see `docs/explanation/decisions.md` for these numbers. */
const QUESTION_WEIGHT = 3
/** Factor for the whole of a prompt beside its parts. */
const WHOLE_WEIGHT = 1.3
/** Power by which the maximum of a prompt beyond that of its best part lowers the scores of the whole. */
const WHOLE_POWER = 0.6

/**
 * Joins the answers for the parts of a prompt. A part counts `weight · BM25 · √(BM25 / maximum)`: the more, the better
 * a chunk covers it. The part with the best chunk decides: its scores and its maximum stay as they are, and those of
 * other parts are scaled to them. The whole prompt counts as one more part. The score of a chunk is the best of those of
 * its parts. A chunk that is not among the best of a part has no score by it, unless this part decides or is the whole.
 *
 * @param decided the part that decides. Default: the one with the best chunk
 */
export function joinParts(whole: WordSide, parts: readonly WordSide[], decided?: PromptPart): WordSide {
  const ofParts = parts.map((words) => ({ words, factor: factorOf(words.part, words.maximum) }))
  const leading = ofParts.find(({ words }) => words.part === decided) ?? strongest(ofParts)
  if (leading === undefined) return whole
  const ofWhole = { words: whole, factor: factorOfWhole(whole.maximum, leading.words.maximum) }
  const voices = [ofWhole, ...ofParts]
  const best = voices.find(({ words }) => words.part === decided) ?? strongest([leading, ofWhole]) ?? leading
  const scaled = voices.map(({ words, factor }) => ({ words, factor: factor / best.factor }))
  const counted = scaled.filter(({ words }) => words === best.words || words === whole)
  return {
    ...best.words,
    found: joinHits(scaled),
    isComplete: voices.every(({ words }) => words.isComplete),
    similar: new Map(voices.flatMap(({ words }): [string, SimilarTerms][] => [...words.similar])),
    scorers: counted.flatMap(({ words, factor }) =>
      words.scorers.map((scorer) => ({ ...scorer, factor: scorer.factor * factor })),
    ),
    parts: parts.map((words) => {
      return { part: words.part, best: bestOf(words), maximum: words.maximum, decides: words === best.words }
    }),
  }
}

/**
 * @returns the factor for BM25 that gives the scores of all parts one scale: the score of the part to the power of two
 *   thirds, which is linear in BM25
 */
export function factorOf({ isQuestion }: PromptPart, maximum: number): number {
  const weight = isQuestion ? QUESTION_WEIGHT : 1
  return (weight ** 2 / Math.max(maximum, MIN_WORD_MAXIMUM)) ** (1 / 3)
}

/**
 * @param maximum that of the whole prompt
 * @param partMaximum that of its best part
 * @returns the factor of the whole prompt, on the scale of {@link factorOf}
 */
export function factorOfWhole(maximum: number, partMaximum: number): number {
  const [most, ofPart] = [Math.max(maximum, MIN_WORD_MAXIMUM), Math.max(partMaximum, MIN_WORD_MAXIMUM)]
  return WHOLE_WEIGHT * ofPart ** (-1 / 3) * (ofPart / most) ** WHOLE_POWER
}

/** The answer for a part, with the factor for its scores. */
interface Voice {
  readonly words: WordSide
  readonly factor: number
}

/** @returns the first of those with the best chunk */
function strongest(voices: readonly Voice[]): Voice | undefined {
  const strengthOf = ({ words, factor }: Voice): number => bestOf(words) * factor
  return [...voices].sort((one, other) => strengthOf(other) - strengthOf(one))[0]
}

function bestOf({ found }: WordSide): number {
  return found[0]?.wordScore ?? 0
}

/** @returns all hits with their best scores, the best first */
function joinHits(voices: readonly Voice[]): readonly WordHit[] {
  const joined = new Map<string, WordHit>()
  for (const { words, factor } of voices) {
    for (const hit of words.found) {
      const wordScore = hit.wordScore * factor
      const key = toMapKey(hit)
      if (wordScore > (joined.get(key)?.wordScore ?? 0)) joined.set(key, { ...hit, wordScore })
    }
  }
  return [...joined.values()].sort((one, other) => {
    return other.wordScore - one.wordScore || one.documentId - other.documentId || one.ordinal - other.ordinal
  })
}
