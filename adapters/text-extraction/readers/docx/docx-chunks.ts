import { MarkedLines } from '../marked-lines.js'
import type { Relationship } from '../office/office-file.js'
import type { FileBytes } from '../reader.js'
import type { ReaderPiece } from '../reader-piece.js'
import type { DocxPackage } from './docx-package.js'

/** All chunks of a document together may have this many bytes. */
const MAX_BYTES = 32 * 1_048_576
const MAX_CHUNKS = 1_000
const HEAD_BYTES = 1_024

/** A document of another format that stands in the text of a document (`altChunk`). */
export interface DocxChunk {
  /** Adds its paragraphs. */
  addTo(out: MarkedLines): void
}

/** Reads a .docx that stands in another one. */
type ReadInner = (bytes: Buffer) => AsyncIterable<ReaderPiece>

/**
 * Reads the web pages, mails with a web page, texts and Word documents that a document embeds, by the ids of their
 * references. Others, such as .rtf, are left out.
 */
export async function readChunks(
  file: DocxPackage,
  relationships: readonly Relationship[],
  readInner: ReadInner,
): Promise<Map<string, DocxChunk>> {
  const chunks = new Map<string, DocxChunk>()
  let left = MAX_BYTES
  for (const { id, part } of relationships.filter(({ type }) => type === 'aFChunk').slice(0, MAX_CHUNKS)) {
    if (!file.has(part) || !file.claim(part)) continue
    try {
      const bytes = await bytesOf(file, part, left)
      if (bytes === undefined) break
      left -= bytes.length
      const chunk = await chunkOf(bytes, readInner)
      if (chunk !== undefined) chunks.set(id, chunk)
    } catch {
      // The warning for text that is left out says so.
    }
  }
  return chunks
}

/** @returns `undefined` if the part is longer */
async function bytesOf(file: DocxPackage, part: string, maxBytes: number): Promise<Buffer | undefined> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of file.bytes(part)) {
    length += piece.length
    if (length > maxBytes) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

async function chunkOf(bytes: Buffer, readInner: ReadInner): Promise<DocxChunk | undefined> {
  const head = bytes
    .toString('latin1', 0, HEAD_BYTES)
    .replaceAll('\0', '')
    .replace(/^(?:ï»¿|ÿþ|þÿ)/, '')
  if (head.startsWith('PK')) return await linesOf(readInner(bytes))
  if (/^\s*\{\\rtf/.test(head)) return undefined
  if (/^\s*</.test(head)) return pageOf(await (await import('../html/html-reader.js')).pageText(inMemory(bytes)))
  if (/^(?:[\w-]+:.*\r?\n(?:[ \t].*\r?\n)*)*?mime-version:/i.test(head)) {
    const { default: PostalMime } = await import('postal-mime')
    const { html, text = '' } = await PostalMime.parse(bytes)
    return html === undefined ? { addTo: (out) => addLines(text, out) } : pageOf(html)
  }
  return await linesOf((await import('../text-reader.js')).readText(inMemory(bytes)))
}

async function pageOf(html: string): Promise<DocxChunk> {
  const { addPage } = await import('../html/html-reader.js')
  return { addTo: (out) => addPage(html, out) }
}

async function linesOf(pieces: AsyncIterable<ReaderPiece>): Promise<DocxChunk> {
  let text = ''
  for await (const piece of pieces) text += piece.text
  return { addTo: (out) => addLines(text, out) }
}

function addLines(text: string, out: MarkedLines): void {
  for (const line of text.split(/\r\n|[\r\n]/)) out.add(line)
}

function inMemory(bytes: Buffer): FileBytes {
  return {
    sizeBytes: bytes.length,
    open: async function* () {
      yield bytes
    },
  }
}

/** The paragraphs of a chunk, for a cell or a box. */
export function paragraphsOf(chunk: DocxChunk): string[] {
  const lines = new MarkedLines()
  chunk.addTo(lines)
  const text = [...lines.pieces()].map((piece) => piece.text).join('')
  return text.split('\n').filter((line) => line.trim() !== '')
}
