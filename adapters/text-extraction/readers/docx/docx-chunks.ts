import { ExtractionError } from '../../../../src/ports/index.js'
import { encrypted, topLevelStreams } from '../doc/doc-container.js'
import { MarkedLines } from '../marked-lines.js'
import type { Relationship } from '../office/office-file.js'
import { inMemory, textMayBeMissing } from '../reader.js'
import type { ReaderPiece, ReaderWarning } from '../reader-piece.js'
import { isZip, type SharedBytes } from './checked-zip.js'
import type { DocxChunk } from './docx-chunk.js'
import { DamagedPartError, type DocxPackage, keyOf } from './docx-package.js'

const MB = 1_048_576
/** All chunks of a document together may have this many bytes. */
const MAX_BYTES = 32 * MB
/** The unpacked bytes of all Word documents among them. */
const MAX_INNER_BYTES = 200 * MB
/** The characters of all texts and Word documents among them: they are in memory before the first piece. */
const MAX_CHARACTERS = 16 * MB
const MAX_CHUNKS = 1_000
const MAX_INNER_DOCUMENTS = 50
const MAX_WARNINGS = 100
const HEAD_BYTES = 1_024
const OLE = 'd0cf11e0a1b11ae1'
/** The root of a Word document that is one XML file: a flat package, or the format of Word 2003. */
const WORD_XML = /^\s*(?:<[?!][^>]*>\s*)*<(?:\w+:)?(?:package|wordDocument)\b/

/** The embedded documents of a document. */
interface DocxChunks {
  /** By the ids of their references. One that could not be read has no paragraphs, and a warning. */
  readonly byId: ReadonlyMap<string, DocxChunk>
  readonly warnings: readonly ReaderWarning[]
}

export const NO_CHUNKS: DocxChunks = { byId: new Map(), warnings: [] }

/**
 * Reads a .docx that stands in another one.
 * @param shared the unpacked bytes that all of them may have
 */
export type ReadInner = (bytes: Buffer, shared: SharedBytes) => AsyncIterable<ReaderPiece>

/**
 * Reads the web pages, mails with a web page, texts, RTF and Word documents that a document embeds. Those of other formats
 * are not among the chunks.
 */
export async function readChunks(
  file: DocxPackage,
  relationships: readonly Relationship[],
  readInner: ReadInner,
): Promise<DocxChunks> {
  const reader = new ChunkReader(file, readInner)
  const byId = new Map<string, DocxChunk>()
  const byPart = new Map<string, DocxChunk | undefined>()
  for (const { id, part } of relationships) {
    const key = keyOf(part)
    if (!byPart.has(key)) byPart.set(key, await reader.read(part))
    const chunk = byPart.get(key)
    if (chunk !== undefined) byId.set(id, chunk)
  }
  return { byId, warnings: reader.warnings }
}

/** Reads chunks within limits that they share. */
class ChunkReader {
  readonly warnings: ReaderWarning[] = []
  readonly #inner: SharedBytes = { left: MAX_INNER_BYTES }
  #bytes = MAX_BYTES
  #characters = MAX_CHARACTERS
  #chunks = 0
  #innerDocuments = 0
  #hasReachedLimit = false

  constructor(
    private readonly file: DocxPackage,
    private readonly readInner: ReadInner,
  ) {}

  /** @returns `undefined` for a part of another format */
  async read(part: string): Promise<DocxChunk | undefined> {
    this.#chunks += 1
    if (this.#bytes <= 0 || this.#chunks > MAX_CHUNKS) return this.#atLimit()
    // The text of a part that is read already stands elsewhere.
    if (this.file.has(part) && !this.file.claim(part)) return NO_TEXT
    try {
      const bytes = await this.#bytesOf(part)
      return bytes === undefined ? this.#atLimit() : await this.#chunkOf(bytes)
    } catch (error) {
      const { code } = error instanceof ExtractionError ? error : { code: undefined }
      if (code === 'ERR_EXTRACTION_LIMIT') return this.#atLimit()
      if (error instanceof DamagedPartError && error.message.startsWith(part)) return this.#missing(error.message)
      if (code === 'ERR_ENCRYPTED') return this.#missing(`${part} is protected by a password`)
      if (code === 'ERR_CORRUPT_FILE' || error instanceof DamagedPartError) return this.#missing(`${part} is damaged`)
      return undefined
    }
  }

  #missing(problem: string): DocxChunk {
    if (this.warnings.length < MAX_WARNINGS) this.warnings.push(textMayBeMissing(problem))
    return NO_TEXT
  }

  #atLimit(): DocxChunk {
    if (this.#hasReachedLimit) return NO_TEXT
    this.#hasReachedLimit = true
    return this.#missing('the embedded documents are too many or too large')
  }

  /** @returns `undefined` if the part is longer than the chunks may be */
  async #bytesOf(part: string): Promise<Buffer | undefined> {
    const pieces: Buffer[] = []
    for await (const piece of this.file.bytes(part)) {
      this.#bytes -= piece.length
      if (this.#bytes < 0) return undefined
      pieces.push(piece)
    }
    return Buffer.concat(pieces)
  }

  async #chunkOf(bytes: Buffer): Promise<DocxChunk | undefined> {
    const head = bytes
      .toString('latin1', 0, HEAD_BYTES)
      .replaceAll('\0', '')
      .replace(/^(?:ï»¿|ÿþ|þÿ)/, '')
    if (isZip(bytes)) return await this.#innerOf(bytes)
    if (bytes.toString('hex', 0, OLE.length / 2) === OLE) {
      // A document with a password. Others in this container are older ones.
      if (topLevelStreams(bytes).has('encryptedpackage')) throw encrypted()
      return undefined
    }
    if (WORD_XML.test(head)) return undefined
    if (/^\s*\{\\rtf/.test(head))
      return await this.#linesOf((await import('../rtf/rtf-reader.js')).readRtf(inMemory(bytes)))
    if (/^\s*</.test(head)) {
      const { text, warnings } = await (await import('../html/html-reader.js')).pageText(inMemory(bytes))
      this.#keep(warnings)
      return await pageOf(text)
    }
    if (/^(?:[\w-]+:.*\r?\n(?:[ \t].*\r?\n)*)*?mime-version:/i.test(head)) {
      const { default: PostalMime } = await import('postal-mime')
      const { html, text = '' } = await PostalMime.parse(bytes)
      return html === undefined ? once((out) => addLines(text, out)) : await pageOf(html)
    }
    return await this.#linesOf((await import('../text-reader.js')).readText(inMemory(bytes)))
  }

  async #innerOf(bytes: Buffer): Promise<DocxChunk> {
    this.#innerDocuments += 1
    if (this.#innerDocuments > MAX_INNER_DOCUMENTS || this.#inner.left <= 0) return this.#atLimit()
    return await this.#linesOf(this.readInner(bytes, this.#inner))
  }

  async #linesOf(pieces: AsyncIterable<ReaderPiece>): Promise<DocxChunk> {
    let text = ''
    for await (const piece of pieces) {
      text += piece.text.slice(0, this.#characters)
      this.#keep(piece.warnings ?? [])
      this.#characters -= piece.text.length
      if (this.#characters < 0) {
        this.#characters = 0
        this.#atLimit()
        break
      }
    }
    return once((out) => addLines(text, out))
  }

  #keep(warnings: readonly ReaderWarning[]): void {
    this.warnings.push(...warnings.slice(0, MAX_WARNINGS - this.warnings.length))
  }
}

const NO_TEXT: DocxChunk = { addTo: () => undefined }

/** A chunk stands in the text once, also if a hostile file refers to it again and again. */
function once(add: (out: MarkedLines) => void): DocxChunk {
  let left: typeof add | undefined = add
  return {
    addTo: (out) => {
      left?.(out)
      left = undefined
    },
  }
}

async function pageOf(html: string): Promise<DocxChunk> {
  const { addPage } = await import('../html/html-reader.js')
  return once((out) => addPage(html, out))
}

function addLines(text: string, out: MarkedLines): void {
  for (const line of text.split(/\r\n|[\r\n]/)) out.add(line)
}
