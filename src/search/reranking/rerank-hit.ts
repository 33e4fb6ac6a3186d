import type { TimeSlice } from '../../kernel/scheduling/time-slice.js'
import { displayNameOf, type RerankHit, type VisibleChunk } from '../../ports/index.js'
import type { Passage } from '../densest-passage.js'
import type { HistoryMessage } from '../history-words.js'
import type { PromptTerms } from '../prompt-terms.js'
import { findMatch, type PlacedChunk } from '../results.js'

/** Limits of the parts of a hit, in UTF-16 units. A text of 2,000 has about 500 tokens of English. */
const [MAX_TEXT, MAX_NAME] = [2_000, 300]
/** Limit of a prompt and what it follows together, in UTF-16 units. */
const MAX_PROMPT = 4_000

/** @returns the hit that a reranker reads: of a long chunk, the part around its match */
export async function toRerankHit(
  chunk: PlacedChunk,
  terms: PromptTerms,
  record: VisibleChunk & { readonly content: string },
  slice: TimeSlice,
): Promise<RerankHit> {
  const { content } = record
  const isShort = content.length <= MAX_TEXT
  const text = isShort ? content : partAround(content, (await findMatch(content, terms, chunk, slice)).match)
  return { name: cut(displayNameOf(record), MAX_NAME), headings: innermost(record.headings), text }
}

/**
 * The text that a reranker reads of a prompt. A follow-up such as "And who pays?" says little without what it follows,
 * so the user's last message stands before it, as far as the prompt leaves room.
 *
 * @param history the oldest message first
 */
export function rerankPrompt(prompt: string, history: readonly HistoryMessage[] = []): string {
  const own = beginningAndEnd(prompt, MAX_PROMPT)
  const last = history.findLast(({ role }) => role === 'user')?.content.trim() ?? ''
  const room = MAX_PROMPT - own.length - 1
  return last === '' || room <= 0 ? own : `${beginningAndEnd(last, room)}\n${own}`
}

/** @returns the text, or the beginning and the end of one that is too long: a question may stand in either */
function beginningAndEnd(text: string, length: number): string {
  if (text.length <= length) return text
  const end = Math.floor(length / 2)
  return `${text.slice(0, length - end - 1)}\n${text.slice(text.length - end)}`.toWellFormed()
}

/** @returns the part of a text that has the passage in its middle, as far as there is text on both sides */
function partAround(content: string, { start, end }: Passage): string {
  const first = Math.floor((start + Math.min(end, start + MAX_TEXT) - MAX_TEXT) / 2)
  const from = Math.min(Math.max(0, first), content.length - MAX_TEXT)
  return content.slice(from, from + MAX_TEXT).toWellFormed()
}

/** @returns the innermost headings that fit, in their order */
function innermost(headings: readonly string[]): readonly string[] {
  let [first, length] = [headings.length, 0]
  while (first > 0) {
    length += headings[first - 1]?.length ?? 0
    if (length > MAX_NAME) break
    first -= 1
  }
  return headings.slice(first)
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).toWellFormed()
}
