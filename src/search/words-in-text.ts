import { analyze, type Term, textParts } from '../analysis/index.js'
import { TimeSlice } from '../kernel/scheduling/time-slice.js'
import type { PromptTerms } from './prompt-terms.js'

/** The words of a prompt in a text. */
export interface WordsInText {
  /** The terms of the prompt where the text has them, or words that count as them, in the order of their starts. */
  readonly terms: readonly Term[]
  /** Terms of the prompt that the collection does not have, each with the most alike term of the text. */
  readonly corrected: ReadonlyMap<string, string>
}

/** Works in slices of some milliseconds, between which other work of the event loop can run. */
export async function findWords(
  text: string,
  prompt: PromptTerms,
  slice: TimeSlice = new TimeSlice(),
): Promise<WordsInText> {
  const terms: Term[] = []
  const best = new Map<string, { readonly term: string; readonly weight: number }>()
  for (const part of textParts(text)) {
    for (const { term, start, end } of analyze(part.text)) {
      const counted = prompt.termFor(term)
      if (counted === undefined) continue
      terms.push({ term: counted, start: part.start + start, end: part.start + end })
      const weight = prompt.correctionWeight(counted, term)
      if (weight > (best.get(counted)?.weight ?? 0)) best.set(counted, { term, weight })
    }
    await slice.pauseIfOver()
  }
  return { terms, corrected: new Map([...best].map(([counted, { term }]) => [counted, term])) }
}
