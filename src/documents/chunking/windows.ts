import { maxCharacters } from './boundaries.js'

/** A part of a chunk that the embedding model reads at once. */
export interface Window {
  /** UTF-16 offset in the chunk's text. */
  readonly start: number
  /** UTF-16 offset just after the window. */
  readonly end: number
  readonly tokens: number
}

/** A run of words, as parallel arrays. */
export interface WordRun {
  /** UTF-16 offset of each word's start, in any text. */
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  readonly tokens: Uint16Array
}

/** Neighbouring windows share this part of their tokens, and at most this part of their limit of characters. */
const OVERLAP = 0.25

/**
 * Lays windows over a run of words: as few as the limit allows, of about equal size. Each window shares a quarter with
 * the next, and each word is in at least one window.
 *
 * No word may have more than `maxTokens` tokens. Offsets are relative to the first word. A run with hardly any tokens
 * gets more windows, because none has more characters than `maxCharacters(maxTokens)`.
 */
export function layWindows({ starts, ends, tokens }: WordRun, maxTokens: number): Window[] {
  const count = tokens.length
  if (count === 0) return []
  let total = 0
  for (let word = 0; word < count; word += 1) total += tokens[word] ?? 0
  const overlap = Math.floor(maxTokens * OVERLAP)
  const maxLength = maxCharacters(maxTokens)
  const windowCount = total <= maxTokens ? 1 : Math.ceil((total - overlap) / (maxTokens - overlap))
  const size = (total + (windowCount - 1) * overlap) / windowCount

  const last = count - 1
  const origin = starts[0] ?? 0
  const windows: Window[] = []
  let first = 0
  let tokensBefore = 0
  for (;;) {
    // The ideal size is a fraction. Tokens that rounding takes from one window go to the next, up to the limit.
    const isLast = total - tokensBefore <= maxTokens
    const goal = isLast ? maxTokens : Math.min(maxTokens, Math.ceil(size))
    const maxEnd = (starts[first] ?? 0) + maxLength
    let inWindow = tokens[first] ?? 0
    let end = first
    while (end < last && inWindow + (tokens[end + 1] ?? 0) <= goal && (ends[end + 1] ?? 0) <= maxEnd) {
      end += 1
      inWindow += tokens[end] ?? 0
    }
    windows.push({ start: (starts[first] ?? 0) - origin, end: (ends[end] ?? 0) - origin, tokens: inWindow })
    if (end === last) return windows
    // The next window shares a quarter with this one, and always starts later.
    const minStart = (ends[end] ?? 0) - maxLength * OVERLAP
    let shared = 0
    let next = end + 1
    while (next - 1 > first && shared + (tokens[next - 1] ?? 0) <= overlap && (starts[next - 1] ?? 0) >= minStart) {
      next -= 1
      shared += tokens[next] ?? 0
    }
    // If the next word does not fit beside the shared part, share less.
    const nextTokens = tokens[end + 1] ?? 0
    const minStartForNext = (ends[end + 1] ?? 0) - maxLength
    while (next <= end && (shared + nextTokens > goal || (starts[next] ?? 0) < minStartForNext)) {
      shared -= tokens[next] ?? 0
      next += 1
    }
    for (let word = first; word < next; word += 1) tokensBefore += tokens[word] ?? 0
    first = next
  }
}
