import { maxCharacters } from './boundaries.js'

/** A part of a chunk that the embedding model reads at once. */
export interface Window {
  /** UTF-16 offset in the chunk's text. */
  readonly start: number
  /** UTF-16 offset just behind the window. */
  readonly end: number
  readonly tokens: number
}

/** A run of words, side by side in arrays of equal length. */
export interface WordRun {
  /** UTF-16 offset at which each word begins, in whatever text. */
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  readonly tokens: Uint16Array
}

/** Neighbouring windows share this part of their tokens, and at most this part of the characters they may have. */
const OVERLAP = 0.25

/**
 * Lays windows over a run of words: as few as the limit allows, of about equal
 * size, each sharing a quarter with the next, all words in at least one.
 *
 * No word may have more than `maxTokens`. Offsets are relative to the first word. A run of
 * words with hardly any tokens makes more windows: none has more than `maxCharacters` of its tokens.
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
  let before = 0
  for (;;) {
    // Sizes are ideal numbers: what rounding takes from one window, the next may add, up to the limit.
    const isLast = total - before <= maxTokens
    const goal = isLast ? maxTokens : Math.min(maxTokens, Math.ceil(size))
    const longest = (starts[first] ?? 0) + maxLength
    let inWindow = tokens[first] ?? 0
    let end = first
    while (end < last && inWindow + (tokens[end + 1] ?? 0) <= goal && (ends[end + 1] ?? 0) <= longest) {
      end += 1
      inWindow += tokens[end] ?? 0
    }
    windows.push({ start: (starts[first] ?? 0) - origin, end: (ends[end] ?? 0) - origin, tokens: inWindow })
    if (end === last) return windows
    // The next window begins so that it shares a quarter, and always later than this one.
    const earliest = (ends[end] ?? 0) - maxLength * OVERLAP
    let shared = 0
    let next = end + 1
    while (next - 1 > first && shared + (tokens[next - 1] ?? 0) <= overlap && (starts[next - 1] ?? 0) >= earliest) {
      next -= 1
      shared += tokens[next] ?? 0
    }
    // A word too large for what is left beside the shared part: share less.
    const after = tokens[end + 1] ?? 0
    const from = (ends[end + 1] ?? 0) - maxLength
    while (next <= end && (shared + after > goal || (starts[next] ?? 0) < from)) {
      shared -= tokens[next] ?? 0
      next += 1
    }
    for (let word = first; word < next; word += 1) before += tokens[word] ?? 0
    first = next
  }
}
