import { read } from 'cfb'
import iconv from 'iconv-lite'
import { ExtractionError, isBytes } from '../../../../src/ports/index.js'

/** The streams of a .doc with its text. */
export interface DocStreams {
  /** `WordDocument`: the file information block, the text, and pages of properties. */
  readonly main: Buffer
  /** `0Table` or `1Table`: the positions of everything. */
  readonly table: Buffer
  /** `Data`: properties that are too long for a page. */
  readonly data: Buffer
}

/** The stream that only mails of Outlook have, in lower case. */
export const MSG_STREAM = '__properties_version1.0'
/** The first two bytes of the main stream for Word 97 and later. */
const WORD_97 = 0xa5ec
const OLDER: Readonly<Record<number, string>> = {
  0xa5dc: 'Word 6 or 95',
  0xa697: 'Word 6 or 95',
  0xa698: 'Word 6 or 95',
  0xa699: 'Word 6 or 95',
  0xa5db: 'Word 2',
}
const ENCRYPTED_FLAG = 0x0100
const TABLE_FLAG = 0x0200
/** The length of the block up to the position of the piece table. */
const MIN_BYTES = 0x1aa

/**
 * Opens the OLE container of a .doc.
 *
 * @throws ExtractionError `ERR_ENCRYPTED`; `ERR_UNSUPPORTED_FORMAT` for a file that is not from Word 97 or later;
 *   `ERR_CORRUPT_FILE`
 */
export function openDoc(bytes: Buffer): DocStreams {
  const streams = topLevelStreams(bytes)
  if (streams.has('encryptedpackage')) throw encrypted()
  const main = streams.get('worddocument')
  if (main === undefined && streams.has(MSG_STREAM)) {
    throw new ExtractionError('ERR_WRONG_TYPE', 'The content is a mail of Outlook: rename the file to .msg')
  }
  if (main === undefined)
    throw new ExtractionError(
      'ERR_UNSUPPORTED_FORMAT',
      'The file is an OLE container, but not a Word document: save its text as .docx or .pdf',
    )
  const magic = main.length >= 2 ? main.readUInt16LE(0) : 0
  if (magic !== WORD_97) {
    const version = OLDER[magic] ?? 'an unknown version of Word'
    throw new ExtractionError('ERR_UNSUPPORTED_FORMAT', `The document is from ${version}: save it as .docx`)
  }
  if (main.length < MIN_BYTES)
    throw new ExtractionError('ERR_CORRUPT_FILE', 'The document is incomplete: its end is missing')
  const flags = main.readUInt16LE(0x0a)
  if ((flags & ENCRYPTED_FLAG) !== 0) throw encrypted()
  const isFirst = (flags & TABLE_FLAG) === 0
  const table = streams.get(isFirst ? '0table' : '1table') ?? streams.get(isFirst ? '1table' : '0table')
  if (table === undefined)
    throw new ExtractionError('ERR_CORRUPT_FILE', 'The document is damaged: the table of its text is missing')
  return { main, table, data: streams.get('data') ?? Buffer.alloc(0) }
}

/** The streams by name in lower case: some programs use another case. Embedded documents have deeper streams. */
export function topLevelStreams(bytes: Buffer): Map<string, Buffer> {
  const container = read(bytes, { type: 'buffer' })
  const streams = new Map<string, Buffer>()
  for (const [index, { name, type, content }] of container.FileIndex.entries()) {
    const isTopLevel = container.FullPaths[index]?.split('/').length === 2
    const key = name.toLowerCase()
    if (type === 2 && isTopLevel && !streams.has(key)) streams.set(key, bufferOf(content))
  }
  return streams
}

/** The content without a copy. An empty stream has no content. */
function bufferOf(content: unknown): Buffer {
  if (!isBytes(content)) return Buffer.alloc(0)
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength)
}

/** The error for a document with a password. */
export function encrypted(): ExtractionError {
  return new ExtractionError('ERR_ENCRYPTED', 'The document is protected by a password: save it without password')
}

/** A part of the text whose bytes are contiguous in the file. */
export interface Piece {
  /** The position of its first character in the document, in UTF-16 units. */
  readonly position: number
  readonly length: number
  /** The position of its first byte in the main stream. */
  readonly offset: number
  readonly bytesPerUnit: 1 | 2
  /** Property changes of a fast save, for the whole piece: a list, or one property in two bytes. */
  readonly changes: Buffer | number
}

/** The text of a .doc with Word's marks, and the positions of its pieces in the file. */
export interface DocPieces {
  readonly text: string
  readonly pieces: readonly Piece[]
  /** True if the file ends before its text ends. */
  readonly isTruncated: boolean
}

/** The position of the piece table in the table stream ([MS-DOC] 2.5.6, `fcClx`). */
const CLX = 0x01a2
const COMPRESSED_FLAG = 0x4000_0000
/** If all pieces together are longer than this multiple of the file, they overlap and are no text. */
const MAX_OVERLAP = 2

/** @throws ExtractionError `ERR_CORRUPT_FILE` if the piece table is invalid */
export function readPieces({ main, table }: DocStreams): DocPieces {
  const { lists, start, count } = findTable(main, table)
  const pieces: Piece[] = []
  const texts: string[] = []
  let position = 0
  let isTruncated = false
  for (let index = 0; index < count; index += 1) {
    const declaredLength = table.readUInt32LE(start + index * 4 + 4) - table.readUInt32LE(start + index * 4)
    const descriptor = start + (count + 1) * 4 + index * 8
    const location = table.readUInt32LE(descriptor + 2)
    const bytesPerUnit = (location & COMPRESSED_FLAG) === 0 ? 2 : 1
    const offset = bytesPerUnit === 2 ? location & 0x3fff_ffff : (location & 0x3fff_ffff) >>> 1
    const length = Math.max(0, Math.min(declaredLength, Math.floor((main.length - offset) / bytesPerUnit)))
    isTruncated ||= length !== declaredLength
    if ((position + length) / main.length > MAX_OVERLAP) throw damaged()
    const bytes = main.subarray(offset, offset + length * bytesPerUnit)
    texts.push(bytesPerUnit === 2 ? bytes.toString('utf16le') : iconv.decode(bytes, 'windows-1252'))
    const change = table.readUInt16LE(descriptor + 6)
    const changes = (change & 1) === 0 ? change : (lists[change >>> 1] ?? 0)
    pieces.push({ position, length, offset, bytesPerUnit, changes })
    position += length
  }
  return { text: texts.join(''), pieces, isTruncated }
}

interface PieceTable {
  /** The lists of properties that pieces refer to by number. */
  readonly lists: readonly Buffer[]
  /** The offset of the positions. The descriptors of the pieces follow them. */
  readonly start: number
  readonly count: number
}

/** Finds the table after the lists of properties ([MS-DOC] 2.9.38). */
function findTable(main: Buffer, table: Buffer): PieceTable {
  const lists: Buffer[] = []
  let offset = main.readUInt32LE(CLX)
  while (offset + 3 <= table.length && table[offset] === 1) {
    const size = table.readUInt16LE(offset + 1)
    lists.push(table.subarray(offset + 3, offset + 3 + size))
    offset += 3 + size
  }
  if (offset + 5 > table.length || table[offset] !== 2) throw damaged()
  const size = table.readUInt32LE(offset + 1)
  const count = Math.floor((size - 4) / 12)
  if (count < 1 || offset + 5 + size > table.length) throw damaged()
  return { lists, start: offset + 5, count }
}

function damaged(): ExtractionError {
  return new ExtractionError('ERR_CORRUPT_FILE', 'The document is damaged: the table of its text is invalid')
}
