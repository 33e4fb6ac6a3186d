import type { TimeSlice } from '../../kernel/scheduling/time-slice.js'
import { displayNameOf, type RerankHit, type VisibleChunk } from '../../ports/index.js'
import type { Passage } from '../densest-passage.js'
import type { PromptTerms } from '../prompt-terms.js'
import { findMatch, type PlacedChunk } from '../results.js'

/** Limits of the parts of a hit, in UTF-16 units. A text of 2,000 has about 500 tokens of English. */
const [MAX_TEXT, MAX_NAME] = [2_000, 300]
/** Limit of a prompt, in UTF-16 units. */
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

/** @returns the prompt, or the beginning and the end of one that is too long: the question may stand in either */
export function rerankPrompt(prompt: string): string {
  if (prompt.length <= MAX_PROMPT) return prompt
  const half = MAX_PROMPT / 2
  return `${prompt.slice(0, half - 1)}\n${prompt.slice(-half)}`.toWellFormed()
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
