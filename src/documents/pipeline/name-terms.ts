import { termsOf } from '../../analysis/index.js'

/** The ending of a file's name, which names its format. */
const ENDING = /\.[\p{L}\p{N}]{1,5}$/u
/** The number that tells documents of the same name apart. */
const NUMBER = / \(\d+\)$/
const SEPARATORS = /[\p{P}\p{S}]+/gu
/** Longest text of which names are made. A name has at most 255 bytes, and a path of headings 600 characters. */
const MAX_CHARACTERS = 1_024

/**
 * A term of a name counts as this many occurrences in each chunk of the document. A term of a heading counts so in the
 * chunks below it. `docs/explanation/decisions.md` has the choice.
 */
const [NAME_OCCURRENCES, HEADING_OCCURRENCES] = [4, 2]

/**
 * Makes the terms by which chunks of a document are found beside those of their text.
 *
 * @param displayName the name as users see it, with its ending
 * @returns a function from the headings above a chunk to the terms, each as often as it counts
 */
export function namesFor(displayName: string): (headings: readonly string[]) => readonly string[] {
  const ofName = nameTerms([displayName.replace(ENDING, '').replace(NUMBER, '')])
  const named = Array.from({ length: NAME_OCCURRENCES }, () => [...ofName]).flat()
  let last: { readonly headings: readonly string[]; readonly terms: readonly string[] } = { headings: [], terms: named }
  return (headings) => {
    if (headings.join('\n') === last.headings.join('\n')) return last.terms
    const ofHeadings = [...nameTerms(headings)].filter((term) => !ofName.has(term))
    const repeated = Array.from({ length: HEADING_OCCURRENCES }, () => ofHeadings).flat()
    last = { headings, terms: [...named, ...repeated] }
    return last.terms
  }
}

/** @returns the terms of names, which are also those of "leave-policy_2024" as it is written */
function nameTerms(names: readonly string[]): ReadonlySet<string> {
  return new Set(
    names
      .map((name) => name.slice(0, MAX_CHARACTERS))
      .flatMap((name) => [...termsOf(name), ...termsOf(name.replace(SEPARATORS, ' '))]),
  )
}
