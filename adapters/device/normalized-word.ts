/** A normalised word and, for each of its UTF-16 units, the offsets of its original characters. */
export interface NormalizedWord {
  readonly text: string
  /** The start of the original, one entry for each unit of `text`. */
  readonly starts: readonly number[]
  /** The end of the original, one entry for each unit of `text`. */
  readonly ends: readonly number[]
}

/** Normalises a word part by part, so that each unit of the result has an origin. */
export function normalizeParts(parts: Iterable<string>, normalize: (part: string) => string): NormalizedWord {
  const starts: number[] = []
  const ends: number[] = []
  let text = ''
  let at = 0
  for (const part of parts) {
    const normalized = normalize(part)
    text += normalized
    starts.push(...new Array<number>(normalized.length).fill(at))
    ends.push(...new Array<number>(normalized.length).fill(at + part.length))
    at += part.length
  }
  return { text, starts, ends }
}
