import { type CharacterRange, coveredCharacters, intersection } from './character-ranges.js'

/** How well chunks cover the passages that answer a question: 0 to 1 each. */
export interface CharacterScores {
  readonly recall: number
  readonly precision: number
  readonly iou: number
}

/** As Chroma's chunking evaluation has it: what is read twice counts twice for precision. */
export function characterScores(
  references: readonly CharacterRange[],
  retrieved: readonly CharacterRange[],
): CharacterScores {
  const hit = coveredCharacters(intersection(references, retrieved))
  const wanted = coveredCharacters(references)
  const read = retrieved.reduce((sum, { start, end }) => sum + end - start, 0)
  return { recall: hit / wanted, precision: read === 0 ? 0 : hit / read, iou: hit / (wanted + read - hit) }
}

/** Järvelin and Kekäläinen 2002, with gains as judged, over the ten best. */
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
