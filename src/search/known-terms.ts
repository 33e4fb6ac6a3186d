import { definedTerms, definitionPrefixes, type OtherSpelling, otherSpellings } from '../analysis/index.js'
import type { TurnTaker } from '../kernel/scheduling/fair-scheduler.js'
import type { LexicalIndex } from '../ports/index.js'
import type { PromptPart } from './prompt-parts.js'
import { withoutQuotations } from './quotations.js'
import type { ReadPrompt } from './read-prompt.js'
import type { SearchTurns } from './search-turns.js'
import { unlessDamaged } from './unless-damaged.js'

interface WordParts {
  readonly words: LexicalIndex
  readonly turns: SearchTurns
}

/** Weight of words that stand for one word together, once the documents have that word. */
const HALF_WEIGHT = 0.5

/**
 * Adds terms that the prompt means, if the contexts have them: words of acronyms that they explain, and other spellings.
 * "rma" also asks for "return merchandise authorisation" where a document has both, "black board" for "blackboard", and
 * a date for its other forms.
 *
 * @param collections the word collections of the contexts
 * @returns the prompt; the same one if the contexts have no such term, or if its words stand for themselves alone
 */
export async function withKnownTerms(
  { words, turns }: WordParts,
  collections: readonly string[],
  read: ReadPrompt,
  taker: TurnTaker,
  signal: AbortSignal,
): Promise<ReadPrompt> {
  const spellings = read.isExact ? [] : spellingsOf(read.whole)
  const prefixes = read.isExact ? [] : [...definitionPrefixes(read.whole.text), ...spellings.map(({ term }) => term)]
  if (prefixes.length === 0) return read
  const reads = collections.map((name) => async () => await words.findTerms(name, [...new Set(prefixes)]))
  // A search of a damaged collection finds the same damage.
  const found = (await unlessDamaged(turns.words.all(taker, reads, signal), [])).flat()
  if (found.length === 0) return read
  const isKnown = ({ term, isWord }: OtherSpelling): boolean =>
    isWord ? found.some((each) => each.startsWith(term)) : found.includes(term)
  const known = new Set(spellings.filter(isKnown).map(({ term }) => term))
  const add = (part: PromptPart): PromptPart => withSpellings(withDefinitions(part, found), known)
  return { ...read, whole: add(read.whole), parts: read.parts.map(add) }
}

/** Words in quotation marks stand for themselves. */
function spellingsOf({ text }: PromptPart): OtherSpelling[] {
  return otherSpellings(withoutQuotations(text))
}

function withDefinitions(part: PromptPart, found: readonly string[]): PromptPart {
  const added = definedTerms(found, part.text)
  return added.size === 0 ? part : { ...part, terms: new Map([...added, ...part.terms]) }
}

/** @param known the terms of spellings that the contexts have */
function withSpellings(part: PromptPart, known: ReadonlySet<string>): PromptPart {
  const spellings = known.size === 0 ? [] : spellingsOf(part).filter(({ term }) => known.has(term))
  if (spellings.length === 0) return part
  const terms = new Map(part.terms)
  const similarTo = new Set(part.similarTo)
  for (const { term, weight, insteadOf, beside, isWord } of spellings) {
    for (const each of insteadOf) {
      const before = part.terms.get(each)
      // A form of a date that the contexts do not have would outweigh those that they have.
      if (before !== undefined && !known.has(each)) terms.set(each, isWord ? HALF_WEIGHT * before : 0)
    }
    for (const each of beside) terms.set(each, 1)
    if (part.terms.has(term)) continue
    terms.set(term, weight)
    if (isWord) similarTo.add(term)
  }
  for (const [term, weight] of terms) if (weight === 0) terms.delete(term)
  return { ...part, terms, similarTo }
}
