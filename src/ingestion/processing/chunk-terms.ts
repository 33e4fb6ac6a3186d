import { termsOf } from '../../analysis/index.js'
import type { TimeSlice } from '../../shared/time-slice.js'

/** Longest text that is analysed in one go: some milliseconds of work. */
const MOST_CHARACTERS = 16_384

/** The terms of a chunk's text, made in slices: a chunk may have 8,192 tokens and half a million characters. */
export async function chunkTerms(text: string, slice: TimeSlice): Promise<string[]> {
  if (text.length <= MOST_CHARACTERS) {
    const terms = termsOf(text)
    await slice.breathe()
    return terms
  }
  const terms: string[] = []
  for (const part of partsAtSpaces(text)) {
    for (const term of termsOf(part)) terms.push(term)
    await slice.breathe()
  }
  return terms
}

/** Parts of a text that end at white space, which is in no term; a longer text without any is one part. */
function* partsAtSpaces(text: string): Generator<string> {
  const space = /\s/g
  for (let at = 0; at < text.length; ) {
    space.lastIndex = at + MOST_CHARACTERS
    const end = space.exec(text)?.index ?? text.length
    yield text.slice(at, end)
    at = end
  }
}
