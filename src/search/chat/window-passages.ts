import { wholeSentences } from '../../documents/index.js'
import type { ChunkWindows } from '../found-windows.js'
import type { SearchResult } from '../results.js'
import type { ChatSource } from './chat-prompt.js'
import type { ReadText } from './merged-passages.js'

/**
 * The weight of the score of its chunk beside that of a window, and the share of the better neighbour. Both bring
 * neighbours into the prompt together, so that a cut between two windows parts fewer answers: see `docs/explanation/decisions.md`.
 */
const CHUNK_WEIGHT = 1.5
const NEIGHBOUR_SHARE = 0.1
/** Longest white space between two chunks that is read to join their windows, in UTF-16 units. */
const MAX_READ_GAP = 32

/**
 * Makes passages of the windows of found chunks: each is widened to whole sentences and rows. A text that several
 * documents have counts once.
 *
 * @returns the best first
 */
export function windowPassages(found: readonly ChunkWindows[]): SearchResult[] {
  const texts = new Set<string>()
  return found
    .flatMap((chunk) => chunk.windows.map((window, at) => ({ chunk, window, worth: worthOf(chunk, at) })))
    .sort((one, other) => other.worth - one.worth)
    .map(({ chunk, window }) => passageOf(chunk, window))
    .filter(({ content }) => {
      const [text, known] = [content.replaceAll(/\s+/gu, ' '), texts.size]
      return texts.add(text).size > known
    })
}

function worthOf({ result, windows }: ChunkWindows, at: number): number {
  const [own = 0, before = 0, after = 0] = [at, at - 1, at + 1].map((index) => windows[index]?.score)
  const share = (1 - NEIGHBOUR_SHARE) * own + NEIGHBOUR_SHARE * Math.max(before, after)
  return share + CHUNK_WEIGHT * result.score
}

function passageOf({ result }: ChunkWindows, window: ChunkWindows['windows'][number]): SearchResult {
  const { start, end } = wholeSentences(result.content, window)
  const match = window.match ?? { start, end }
  return {
    ...result,
    content: result.content.slice(start, end),
    match: { start: match.start - start, end: match.end - start },
    source: { ...result.source, start: result.source.start + start, end: result.source.start + end },
  }
}

/** Reads what is between two windows of one chunk from the chunk, and a short gap between chunks by `readText`. */
export function gapReader(found: readonly ChunkWindows[], readText: ReadText): ReadText {
  return async (uuid, range) => {
    const { start = 0, end = start } = range
    const chunk = found.find(({ result: { source } }) => {
      return source.uuid === uuid && source.start <= start && source.end >= end
    })
    if (chunk === undefined) return end - start > MAX_READ_GAP ? undefined : await readText(uuid, range)
    const { content, source } = chunk.result
    return content.slice(start - source.start, end - source.start)
  }
}

/** Puts the passages of each document together, in the order of its text. The document with the best one comes first. */
export function inTextOrder(sources: readonly ChatSource[]): ChatSource[] {
  const byDocument = new Map<string, ChatSource[]>()
  for (const source of sources) byDocument.set(source.uuid, [...(byDocument.get(source.uuid) ?? []), source])
  return [...byDocument.values()]
    .flatMap((ofDocument) => ofDocument.sort((one, other) => one.start - other.start))
    .map((source, at) => ({ ...source, number: at + 1 }))
}
