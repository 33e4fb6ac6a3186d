import { termsOf, textParts } from '../../analysis/index.js'
import type { TimeSlice } from '../../shared/time-slice.js'

/** The terms of a chunk's text, made in slices: a chunk may have 8,192 tokens and half a million characters. */
export async function chunkTerms(text: string, slice: TimeSlice): Promise<string[]> {
  const terms: string[] = []
  for (const part of textParts(text)) {
    for (const term of termsOf(part.text)) terms.push(term)
    await slice.breathe()
  }
  return terms
}
