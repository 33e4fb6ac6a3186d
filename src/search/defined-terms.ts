import { definedTerms, definitionPrefixes } from '../analysis/index.js'
import type { TurnTaker } from '../kernel/scheduling/fair-scheduler.js'
import type { LexicalIndex, LexicalQuery } from '../ports/index.js'
import type { PromptPart } from './prompt-parts.js'
import type { ReadPrompt } from './read-prompt.js'
import type { SearchTurns } from './search-turns.js'
import { unlessDamaged } from './unless-damaged.js'

interface WordParts {
  readonly words: LexicalIndex
  readonly turns: SearchTurns
}

/**
 * Adds the words of acronyms that the contexts explain, and the acronyms of words: "rma" also asks for "return
 * merchandise authorisation" where a document has both.
 *
 * @param collections the word collections of the contexts
 * @returns the prompt; the same one if no definition is for it, or if its words stand for themselves alone
 */
export async function withDefinedTerms(
  { words, turns }: WordParts,
  collections: readonly string[],
  read: ReadPrompt,
  taker: TurnTaker,
  signal: AbortSignal,
): Promise<ReadPrompt> {
  const prefixes = read.isExact ? [] : definitionPrefixes(read.whole.text)
  if (prefixes.length === 0) return read
  const reads = collections.map((name) => async () => await words.findTerms(name, prefixes))
  // A search of a damaged collection finds the same damage.
  const found = (await unlessDamaged(turns.words.all(taker, reads, signal), [])).flat()
  if (found.length === 0) return read
  const define = (part: PromptPart): PromptPart => ({ ...part, terms: withTerms(part.terms, found, part.text) })
  return { ...read, whole: define(read.whole), parts: read.parts.map(define) }
}

function withTerms(terms: LexicalQuery, definitions: readonly string[], text: string): LexicalQuery {
  const added = definedTerms(definitions, text)
  return added.size === 0 ? terms : new Map([...added, ...terms])
}
