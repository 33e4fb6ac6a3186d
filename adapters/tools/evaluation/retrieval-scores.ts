/** The scores of a search for one question, or their means for several questions. Each number is from 0 to 1. */
export interface RetrievalScores {
  /** Expected answers among the results, as a fraction of all expected answers (recall@k). */
  readonly recall: number
  /** As recall, and an answer counts less the further down it stands (nDCG@k with binary relevance). */
  readonly ndcg: number
  /** 1 divided by the position of the first expected answer; 0 if there is none (MRR@k). */
  readonly mrr: number
  /** 1 if the first result is an expected answer, otherwise 0 (hit@1). */
  readonly hitAt1: number
}

/**
 * Scores the results of one question.
 *
 * Several answers may have the same position, because one chunk may have them all. They then count as if they stood one
 * after the other: a chunk with all answers at the first position is a perfect result.
 *
 * Source of DCG: K. Järvelin and J. Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM Transactions on Information Systems 20 (2002).
 *
 * @param positions for each expected answer the position of the first result that has it, 1 for the best result;
 *   Infinity if no result has it. At least one answer
 * @param k maximum number of results
 */
export function scorePositions(positions: readonly number[], k: number): RetrievalScores {
  const found = positions.filter((position) => position <= k).sort((first, second) => first - second)
  // The answer number i, from 0, stands at the position i + 1 at the earliest.
  const gain = sum(found.slice(0, k).map((position, index) => discount(Math.max(position, index + 1))))
  const highestGain = sum(positions.slice(0, k).map((_, index) => discount(index + 1)))
  const [first = Number.POSITIVE_INFINITY] = found
  return {
    recall: found.length / positions.length,
    ndcg: gain / highestGain,
    mrr: 1 / first,
    hitAt1: first === 1 ? 1 : 0,
  }
}

/** The mean of the scores of at least one question. */
export function meanScores(scores: readonly RetrievalScores[]): RetrievalScores {
  const mean = (name: keyof RetrievalScores): number => sum(scores.map((each) => each[name])) / scores.length
  return { recall: mean('recall'), ndcg: mean('ndcg'), mrr: mean('mrr'), hitAt1: mean('hitAt1') }
}

/** The value in the middle of at least one value; of an even number, the lower one of the two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((first, second) => first - second)
  return sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN
}

function discount(position: number): number {
  return 1 / Math.log2(position + 1)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
