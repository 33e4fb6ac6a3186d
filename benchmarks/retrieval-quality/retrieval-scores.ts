import { type CharacterRange, coveredCharacters, intersection } from './character-ranges.js'

/** The match between chunks and the passages that answer a question: 0 to 1 each. */
export interface CharacterScores {
  readonly recall: number
  readonly precision: number
  readonly iou: number
}

/** Follows Chroma's chunking evaluation: a character in two chunks counts twice in the precision. */
export function characterScores(
  references: readonly CharacterRange[],
  retrieved: readonly CharacterRange[],
): CharacterScores {
  const hit = coveredCharacters(intersection(references, retrieved))
  const wanted = coveredCharacters(references)
  const read = retrieved.reduce((sum, { start, end }) => sum + end - start, 0)
  return { recall: hit / wanted, precision: read === 0 ? 0 : hit / read, iou: hit / (wanted + read - hit) }
}

/** nDCG of the ten best hits by Järvelin and Kekäläinen 2002. The gains are the judged ones. */
export function ndcg(gains: readonly number[], judged: readonly number[]): number {
  const discounted = (values: readonly number[]): number =>
    values.slice(0, 10).reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0)
  const ideal = discounted([...judged].sort((one, other) => other - one))
  return ideal === 0 ? 0 : discounted(gains) / ideal
}

/** The mean, to four digits. */
export function meanOf(values: readonly number[]): number {
  return Math.round((values.reduce((sum, value) => sum + value, 0) / values.length) * 10_000) / 10_000
}
