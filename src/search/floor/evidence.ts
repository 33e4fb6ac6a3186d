import type { SimilarityScale } from '../../ports/index.js'
import type { ScoreScale } from '../ranking/fusion.js'
import { BEST_CHUNKS, clamp, type RankedChunk } from '../ranking/near-chunks.js'
import { wordShareOf } from '../ranking/word-side.js'

/** Share of the prompt's words that is enough evidence: for a prompt that the model does not know, and for one it knows. */
const [ENOUGH_UNKNOWN, ENOUGH_KNOWN] = [0.1, 0.4]
/**
 * Part of the way from an unrelated text to a related one that is enough evidence by meaning, for each e-fold of chunks.
 * The nearest of many unrelated texts is nearer by chance.
 */
const ENOUGH_MEANING = 0.06
/** Number of chunks that no context is expected to exceed: with enough evidence among them, nobody counts chunks. */
const MOST_CHUNKS = 10_000_000

/**
 * Computes the evidence that a context answers a prompt, from its five best chunks. The share of the prompt's words that one
 * of them has and its nearness in meaning add up. `docs/explanation/decisions.md` has the choice of the numbers.
 *
 * @param ranked the best first
 * @param countChunks counts the chunks of the contexts; 0 for a search with a filter, whose chunks nobody counts
 * @returns 0 to 1; `undefined` if that cannot be known: see `evidenceMaximum` of {@link ScoreScale}, and `SimilarityScales`
 */
export async function evidenceOf(
  ranked: readonly RankedChunk[],
  scale: ScoreScale,
  countChunks: () => Promise<number>,
): Promise<number | undefined> {
  if (scale.by !== 'both' || scale.evidenceMaximum === undefined) return undefined
  const best = ranked.slice(0, BEST_CHUNKS)
  const {
    evidenceMaximum,
    question: { modelKnowledge, similarityScale },
  } = scale
  const enough = ENOUGH_UNKNOWN + (ENOUGH_KNOWN - ENOUGH_UNKNOWN) * clamp(modelKnowledge)
  const byWords = ({ wordScore = 0 }: RankedChunk): number => wordShareOf(wordScore, evidenceMaximum) / enough
  if (best.some((chunk) => byWords(chunk) >= 1)) return 1
  if (similarityScale === undefined) return undefined
  const evidenceAmong = (chunks: number): number => {
    const part = ENOUGH_MEANING * Math.log(Math.max(2, chunks))
    const each = best.map((chunk) => byWords(chunk) + (clamp(modelKnowledge) * placeOf(chunk, similarityScale)) / part)
    return clamp(Math.max(0, ...each))
  }
  return evidenceAmong(MOST_CHUNKS) === 1 ? 1 : evidenceAmong(await countChunks())
}

/** @returns the place of a chunk on the way from an unrelated text, 0, to a related one, 1 */
function placeOf({ similarity }: RankedChunk, { unrelated, related }: SimilarityScale): number {
  return Math.max(0, similarity - unrelated) / (related - unrelated)
}
