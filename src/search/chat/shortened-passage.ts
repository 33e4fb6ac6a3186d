import type { SearchResult } from '../results.js'

/** Fewer characters of a passage say too little. */
const MIN_CHARACTERS = 200
/** Maximum distance of a cut from the place where it should be, so that it divides no word, in UTF-16 units. */
const MAX_MOVE = 40

/**
 * Shortens a result to the longest part around its match that fits. The part begins and ends at words where it can.
 *
 * @param fits true if the prompt has room for a part
 * @returns `undefined` if not even a short part fits
 */
export async function shortenPassage(
  result: SearchResult,
  fits: (part: SearchResult) => Promise<boolean>,
): Promise<SearchResult | undefined> {
  let [low, high] = [Math.min(MIN_CHARACTERS, result.content.length), result.content.length]
  let best: SearchResult | undefined
  while (low <= high) {
    const length = Math.ceil((low + high) / 2)
    const part = partOf(result, length)
    if (await fits(part)) {
      best = part
      low = length + 1
    } else {
      high = length - 1
    }
  }
  return best
}

/** @returns the part of at most `length` UTF-16 units that has the match in its middle */
function partOf(result: SearchResult, length: number): SearchResult {
  const { content, match, source } = result
  const middle = Math.floor((match.start + Math.min(match.end, match.start + length)) / 2)
  const latest = Math.max(0, content.length - length)
  const first = Math.min(latest, Math.max(0, middle - Math.floor(length / 2)))
  const start = first === 0 ? 0 : wordStart(content, first)
  const end = Math.max(start, wordEnd(content, first + length))
  const within = (offset: number): number => Math.min(end, Math.max(start, offset)) - start
  return {
    ...result,
    content: content.slice(start, end),
    match: { start: within(match.start), end: within(match.end) },
    source: { ...source, start: source.start + start, end: source.start + end },
  }
}

function wordStart(text: string, offset: number): number {
  const found = /\s+/u.exec(text.slice(offset, offset + MAX_MOVE))
  return found === null ? outsideOfPair(text, offset) : offset + found.index + found[0].length
}

function wordEnd(text: string, offset: number): number {
  if (offset >= text.length) return text.length
  const from = Math.max(0, offset - MAX_MOVE)
  const found = /^.*\S(?=\s)/su.exec(text.slice(from, offset + 1))
  return found === null ? outsideOfPair(text, offset, -1) : from + found[0].length
}

/** @returns an offset that is not inside a surrogate pair */
function outsideOfPair(text: string, offset: number, step: 1 | -1 = 1): number {
  const unit = text.charCodeAt(offset)
  return unit >= 0xdc00 && unit < 0xe000 ? offset + step : offset
}
