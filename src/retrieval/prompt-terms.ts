import { questionTerms } from '../analysis/index.js'
import type { LexicalQuery } from '../ports/index.js'

/** Terms that a word index is asked for: more take it longer than the rest of a search, and change little. */
const MOST_TERMS = 256
/** A word that is as long says as much as a longer one. */
const LONG = 8

/**
 * The terms of a prompt that its words are looked for by. Of a long prompt those that it repeats most, long words
 * before short ones, which are mostly the ones that every text has.
 */
export function promptTerms(prompt: string): LexicalQuery {
  const terms = questionTerms(prompt)
  if (terms.size <= MOST_TERMS) return terms
  const worth = ([term, weight]: readonly [string, number]): number => weight * Math.min(LONG, term.length) ** 2
  return new Map([...terms].sort((one, other) => worth(other) - worth(one)).slice(0, MOST_TERMS))
}
