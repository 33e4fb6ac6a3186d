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

/** Weight of another spelling if the documents also have what the prompt writes. */
const WRITTEN_WEIGHT = 0.5

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
  const ofSpellings = spellings.flatMap(({ term, insteadOf }) => [term, ...insteadOf])
  const prefixes = read.isExact ? [] : [...definitionPrefixes(read.whole.text), ...ofSpellings]
  if (prefixes.length === 0) return read
  const reads = collections.map((name) => async () => await words.findTerms(name, [...new Set(prefixes)]))
  // A search of a damaged collection finds the same damage.
  const found = new Set((await unlessDamaged(turns.words.all(taker, reads, signal), [])).flat())
  if (found.size === 0) return read
  const add = (part: PromptPart, some: readonly OtherSpelling[]): PromptPart =>
    withSpellings(withDefinitions(part, found), some, found)
  return { ...read, whole: add(read.whole, spellings), parts: read.parts.map((part) => add(part, spellingsOf(part))) }
}

/** Words in quotation marks stand for themselves. */
function spellingsOf({ text }: PromptPart): OtherSpelling[] {
  return otherSpellings(withoutQuotations(text))
}

function withDefinitions(part: PromptPart, found: ReadonlySet<string>): PromptPart {
  const added = definedTerms([...found], part.text)
  return added.size === 0 ? part : { ...part, terms: new Map([...added, ...part.terms]) }
}

/** @param found terms of the contexts that begin with a term of a spelling, or of the prompt in its place */
function withSpellings(part: PromptPart, ofPart: readonly OtherSpelling[], found: ReadonlySet<string>): PromptPart {
  const isKnown = ({ term, isWord }: OtherSpelling): boolean =>
    found.has(term) || (isWord && [...found].some((each) => each.startsWith(term)))
  const spellings = ofPart.filter(isKnown)
  if (spellings.length === 0) return part
  const terms = new Map(part.terms)
  const similarTo = new Set(part.similarTo)
  const added = new Set<string>()
  for (const { term, weight, insteadOf, beside, isWord } of spellings) {
    // The spelling of the prompt counts before another one, if the contexts have it.
    const isWritten = insteadOf.length > 0 && insteadOf.every((each) => found.has(each))
    if (!isWritten) {
      for (const each of insteadOf) {
        terms.set(each, isWord ? (terms.get(each) ?? 0) / 2 : 0)
        similarTo.delete(each)
      }
      for (const each of beside) terms.set(each, 1)
    }
    if (part.terms.has(term)) continue
    terms.set(term, isWritten ? Math.min(weight, WRITTEN_WEIGHT) : weight)
    added.add(term)
    if (isWord) similarTo.add(term)
  }
  // A form of a date that the contexts do not have would outweigh those that they have.
  for (const [term, weight] of terms) if (weight === 0) terms.delete(term)
  return { ...part, terms, similarTo, added }
}
