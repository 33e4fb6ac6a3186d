import type { SimilarTerms } from '../../ports/index.js'
import type { PromptPart } from '../prompt-parts.js'
import { toMapKey } from './near-chunks.js'
import { MIN_WORD_MAXIMUM, type WordHit, type WordSide } from './word-side.js'

/** Factor for a part that ends with a question mark: see `docs/explanation/decisions.md` for these numbers. */
const QUESTION_WEIGHT = 3
/** Factor for the whole of a prompt beside its parts. */
const WHOLE_WEIGHT = 2
/** Power by which the maximum of a prompt beyond that of its best part lowers the scores of the whole. */
const WHOLE_POWER = 0.7

/**
 * Joins the answers for the parts of a prompt. A part counts `weight · BM25 · √(BM25 / maximum)`: the more, the better
 * a chunk covers it. The part with the most evidence decides: its scores and its maximum stay as they are, and those of
 * other parts are scaled to them. The whole prompt counts as one more part. The score of a chunk is the best of those of
 * its parts. A chunk that is not among the best of a part has no score by it, unless this part decides or is the whole.
 *
 * @param decided the part that decides. Default: the one with the most evidence
 */
export function joinParts(whole: WordSide, parts: readonly WordSide[], decided?: PromptPart): WordSide {
  const voices = weigh([whole, ...parts], decided)
  const best = voices.find(({ words }) => words.part === decided) ?? strongest(voices)
  if (best === undefined || parts.length === 0) return whole
  const scaled = voices.map(({ words, factor }) => ({ words, factor: factor / best.factor }))
  const counted = scaled.filter(({ words }) => words === best.words || words === whole)
  return {
    ...best.words,
    found: joinHits(scaled, best.words),
    isComplete: voices.every(({ words }) => words.isComplete),
    similar: new Map(voices.flatMap(({ words }): [string, SimilarTerms][] => [...words.similar])),
    scorers: counted.flatMap(({ words, factor }) =>
      words.scorers.map((scorer) => ({ ...scorer, factor: scorer.factor * factor })),
    ),
    parts: parts.map((words) => {
      return {
        part: words.part,
        best: words.found[0]?.wordScore ?? 0,
        maximum: words.maximum,
        decides: words === best.words,
      }
    }),
  }
}

/** A chunk that tells how well a context covers a part. */
export type EvidentHit = Pick<WordHit, 'documentId' | 'wordScore'>

/** The hits of the word index for a part of a prompt. */
interface FoundPart {
  readonly part: PromptPart
  readonly maximum: number
  /** The best first. */
  readonly found: readonly EvidentHit[]
}

/**
 * @param found what was found for the whole prompt, then for its parts
 * @returns the one with the most evidence
 */
export function mostEvident<Found extends FoundPart>(found: readonly Found[]): Found | undefined {
  return strongest(weigh(found))?.words
}

/** The hits for a part, with the factor for their scores. */
interface Voice<Found> {
  readonly words: Found
  readonly factor: number
}

/**
 * Gives the scores of all parts one scale: the score of the part to the power of two thirds, which is linear in BM25.
 *
 * @param found what was found for the whole prompt, then for its parts
 * @param decided the part to which the whole is compared. Default: the one with the most evidence
 */
function weigh<Found extends FoundPart>(found: readonly Found[], decided?: PromptPart): Voice<Found>[] {
  const [whole, ...ofParts] = found.map((words) => ({ words, factor: factorOf(words) }))
  const leading = ofParts.find(({ words }) => words.part === decided) ?? strongest(ofParts)
  if (whole === undefined || leading === undefined) return whole === undefined ? [] : [whole]
  const ofPart = Math.max(leading.words.maximum, MIN_WORD_MAXIMUM)
  const most = Math.max(whole.words.maximum, MIN_WORD_MAXIMUM)
  const factor = WHOLE_WEIGHT * ofPart ** (-1 / 3) * (ofPart / most) ** WHOLE_POWER
  return [{ ...whole, factor }, ...ofParts]
}

function factorOf({ part: { isQuestion }, maximum }: FoundPart): number {
  const weight = isQuestion ? QUESTION_WEIGHT : 1
  return (weight ** 2 / Math.max(maximum, MIN_WORD_MAXIMUM)) ** (1 / 3)
}

/** @returns the first of those with the most evidence */
function strongest<Found extends FoundPart>(voices: readonly Voice<Found>[]): Voice<Found> | undefined {
  const strengthOf = ({ words, factor }: Voice<Found>): number => evidenceOf(words) * factor
  return [...voices].sort((one, other) => strengthOf(other) - strengthOf(one))[0]
}

/**
 * The evidence that a part is what the prompt asks for: the scores of its two best documents together. The context has
 * more than one document about most of its subjects. A few common words meet in one of them by chance.
 */
function evidenceOf({ found: hits }: FoundPart): number {
  const [best] = hits
  const second = hits.find(({ documentId }) => documentId !== best?.documentId)
  return (best?.wordScore ?? 0) + (second?.wordScore ?? 0)
}

/** @returns all hits with their best scores, the best first */
function joinHits(voices: readonly Voice<WordSide>[], deciding: WordSide): readonly WordHit[] {
  const joined = new Map<string, WordHit>()
  const [whole] = voices
  for (const { words, factor } of voices) {
    const isOther = words !== deciding && words !== whole?.words && words.part.isQuestion
    for (const hit of words.found) {
      const wordScore = hit.wordScore * factor
      const key = toMapKey(hit)
      if (wordScore > (joined.get(key)?.wordScore ?? 0))
        joined.set(key, { ...hit, wordScore, ...(isOther && { question: words }) })
    }
  }
  return [...joined.values()].sort((one, other) => {
    return other.wordScore - one.wordScore || one.documentId - other.documentId || one.ordinal - other.ordinal
  })
}
