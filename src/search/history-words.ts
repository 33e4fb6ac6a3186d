import type { LexicalQuery } from '../ports/index.js'
import { promptTerms, similarWordsOf, withMostWorth } from './prompt.js'

/** A message of a chat before a prompt. */
export interface HistoryMessage {
  readonly role: 'user' | 'assistant'
  /** At most 100,000 characters. */
  readonly content: string
}

/** Words with their weights before the context is asked, and those that count together with similar ones. */
export interface WeighedWords {
  readonly terms: LexicalQuery
  readonly similarTo: ReadonlySet<string>
}

const NONE: WeighedWords = { terms: new Map(), similarTo: new Set() }
/** Number of the user's last messages whose words count. */
const MAX_MESSAGES = 4
/**
 * Weight of a word of the user's last message, beside 1 for a word of the prompt, if the context covers nothing of the
 * prompt: see `docs/explanation/decisions.md`.
 */
const WEIGHT = 0.8
/** Factor for the weight of each message further back. */
const FADING = 0.5
/** Maximum number of words of a history: each takes time. */
const MAX_TERMS = 64
/** UTF-16 units of a message that are read. */
const MAX_UNITS = 4_096

/** @returns the texts whose words count: the starts of the user's last four messages, the oldest first */
export function historyTexts(history: readonly HistoryMessage[] = []): readonly string[] {
  const messages = history.filter(({ role }) => role === 'user').slice(-MAX_MESSAGES)
  return messages.map(({ content }) => content.slice(0, MAX_UNITS))
}

/**
 * Finds the words that a prompt may lean on, such as those before "And in the second year?". Answers of a model are left
 * out: they have many words that nobody asked for.
 *
 * @param history the oldest message first
 * @returns at most 64 words with weights that fade from message to message
 */
export function historyWords(history: readonly HistoryMessage[] = []): WeighedWords {
  if (history.length === 0) return NONE
  const weights = new Map<string, number>()
  const similarTo = new Set<string>()
  for (const [back, text] of historyTexts(history).toReversed().entries()) {
    for (const [term, weight] of promptTerms(text)) {
      weights.set(term, (weights.get(term) ?? 0) + weight * WEIGHT * FADING ** back)
    }
    for (const word of similarWordsOf(text)) similarTo.add(word)
  }
  const terms = withMostWorth(weights, MAX_TERMS)
  return { terms, similarTo: new Set([...similarTo].filter((word) => terms.has(word))) }
}
