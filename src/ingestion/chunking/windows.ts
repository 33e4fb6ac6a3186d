import { maxCharacters } from './max-characters.js'

/** A part of a chunk that the embedding model reads at once. */
export interface Window {
  /** UTF-16 offset in the chunk's text. */
  readonly start: number
  /** UTF-16 offset just behind the window. */
  readonly end: number
  readonly tokens: number
}

/** A run of words with their tokens, seen from some first word on. */
export interface WordRun {
  readonly count: number
  start(word: number): number
  end(word: number): number
  tokens(word: number): number
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
export function layWindows(words: WordRun, maxTokens: number): Window[] {
  if (words.count === 0) return []
  let total = 0
  for (let word = 0; word < words.count; word += 1) total += words.tokens(word)
  const overlap = Math.floor(maxTokens * OVERLAP)
  const maxLength = maxCharacters(maxTokens)
  const fits = (from: number, to: number, length: number): boolean => words.end(to) - words.start(from) <= length
  const count = total <= maxTokens ? 1 : Math.ceil((total - overlap) / (maxTokens - overlap))
  const size = (total + (count - 1) * overlap) / count

  const origin = words.start(0)
  const windows: Window[] = []
  let first = 0
  let before = 0
  for (;;) {
    // Sizes are ideal numbers: what rounding takes from one window, the next may add, up to the limit.
    const last = words.count - 1
    const isLast = total - before <= maxTokens
    const goal = isLast ? maxTokens : Math.min(maxTokens, Math.ceil(size))
    let tokens = words.tokens(first)
    let end = first
    while (end < last && tokens + words.tokens(end + 1) <= goal && fits(first, end + 1, maxLength)) {
      end += 1
      tokens += words.tokens(end)
    }
    windows.push({ start: words.start(first) - origin, end: words.end(end) - origin, tokens })
    if (end === last) return windows
    // The next window begins so that it shares a quarter, and always later than this one.
    let shared = 0
    let next = end + 1
    while (next - 1 > first && shared + words.tokens(next - 1) <= overlap && fits(next - 1, end, maxLength * OVERLAP)) {
      next -= 1
      shared += words.tokens(next)
    }
    // A word too large for what is left beside the shared part: share less.
    while (next <= end && (shared + words.tokens(end + 1) > goal || !fits(next, end + 1, maxLength))) {
      shared -= words.tokens(next)
      next += 1
    }
    for (let word = first; word < next; word += 1) before += words.tokens(word)
    first = next
  }
}
