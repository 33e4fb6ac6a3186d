import type { PageRange, TextRange } from '../../documents/index.js'
import type { SearchResult } from '../results.js'
import type { ChatSource } from './chat-prompt.js'

/** Longest white space between two chunks of a document that are joined, in UTF-16 units. */
const MAX_GAP = 1_024

/**
 * Reads a part of a document's text.
 * @returns `undefined` if the text cannot be read, such as that of a document that was deleted meanwhile
 */
export type ReadText = (uuid: string, range: TextRange) => Promise<string | undefined>

/**
 * Joins the results of a search that overlap in their document, or that only white space separates. A model then reads no
 * text twice, and the text in its order.
 *
 * @param results the results, the best first
 * @param readText reads the white space between two chunks. Default: only chunks that overlap or touch are joined
 * @returns the passages with numbers from 1. Each is at the place of its best chunk. It never rejects, unless `readText`
 *   does
 */
export async function mergePassages(results: readonly SearchResult[], readText?: ReadText): Promise<ChatSource[]> {
  const byDocument = new Map<string, Ranked[]>()
  for (const [rank, result] of results.entries()) {
    const ofDocument = byDocument.get(result.source.uuid) ?? []
    ofDocument.push({ rank, source: toSource(result) })
    byDocument.set(result.source.uuid, ofDocument)
  }
  const merged: Ranked[] = []
  for (const ofDocument of byDocument.values()) merged.push(...(await mergeDocument(ofDocument, readText)))
  return merged
    .sort((one, other) => one.rank - other.rank)
    .map(({ source }, index) => ({ ...source, number: index + 1 }))
}

interface Ranked {
  /** 0 for the best. */
  readonly rank: number
  readonly source: ChatSource
}

async function mergeDocument(passages: readonly Ranked[], readText: ReadText | undefined): Promise<Ranked[]> {
  const sorted = [...passages].sort(({ source: one }, { source: other }) => one.start - other.start)
  const merged: Ranked[] = []
  let last: Ranked | undefined
  for (const next of sorted) {
    const between = last && (await textBetween(last.source, next.source, readText))
    if (last !== undefined && between !== undefined) merged.pop()
    last = last === undefined || between === undefined ? next : join(last, between, next)
    merged.push(last)
  }
  return merged
}

/** @returns the white space between two passages; empty if they overlap or touch; `undefined` if they stay apart */
async function textBetween(
  one: ChatSource,
  other: ChatSource,
  readText: ReadText | undefined,
): Promise<string | undefined> {
  if (other.start <= one.end) return ''
  if (readText === undefined || other.start - one.end > MAX_GAP) return undefined
  const text = await readText(one.uuid, { start: one.end, end: other.start })
  return text?.trim() === '' ? text : undefined
}

/** @param one the passage that begins first */
function join(one: Ranked, between: string, other: Ranked): Ranked {
  const best = one.rank < other.rank ? one : other
  const { start, end } = one.source
  const moved = best.source.start - start
  return {
    rank: best.rank,
    source: {
      ...one.source,
      end: Math.max(end, other.source.end),
      content: one.source.content + between + other.source.content.slice(Math.max(0, end - other.source.start)),
      match: { start: best.source.match.start + moved, end: best.source.match.end + moved },
      pages: pagesOfBoth(one.source.pages, other.source.pages),
      similarity: Math.max(one.source.similarity, other.source.similarity),
      score: Math.max(one.source.score, other.source.score),
    },
  }
}

function pagesOfBoth(one: PageRange | null, other: PageRange | null): PageRange | null {
  if (one === null || other === null) return one ?? other
  return { first: Math.min(one.first, other.first), last: Math.max(one.last, other.last) }
}

function toSource({ docId, content, match, similarity, score, source }: SearchResult): ChatSource {
  const { uuid, originalName, displayName, start, end, pages, headings, metadata } = source
  return {
    ...{ number: 0, docId, uuid, originalName, displayName, start, end, pages, headings, metadata },
    ...{ content, match, similarity, score },
  }
}
