import type { ChunkPlace, ChunkRecord, DocumentRecord } from '../ports/index.js'

/** A chunk of a document. */
export interface DocumentChunk {
  readonly id: number
  readonly docId: number
  /** 0 for the first chunk. */
  readonly ordinal: number
  readonly content: string
  /** UTF-16 offset of the chunk in the extracted text. */
  readonly start: number
  /** UTF-16 offset after the end of the chunk. */
  readonly end: number
  readonly tokens: number
  /** The pages, sheets or slides that the chunk touches; null if the format has none. */
  readonly pages: PageRange | null
  /** The headings above the beginning of the chunk, the outermost first; empty if none are known. */
  readonly headings: readonly string[]
}

/** The pages, sheets or slides of a part of a document: numbers from 1. */
export interface PageRange {
  readonly first: number
  /** The same as `first` if the part is on one page. */
  readonly last: number
}

export function toDocumentChunk(chunk: ChunkRecord, { publicId }: Pick<DocumentRecord, 'publicId'>): DocumentChunk {
  const { id, ordinal, content, start, tokens, headings } = chunk
  const end = start + content.length
  return { id, docId: publicId, ordinal, content, start, end, tokens, pages: pagesOf(chunk), headings }
}

/** @returns null if the format has no pages, and for chunks of versions without them */
export function pagesOf({ pageFirst, pageLast }: ChunkPlace): PageRange | null {
  return pageFirst === null ? null : { first: pageFirst, last: pageLast ?? pageFirst }
}
