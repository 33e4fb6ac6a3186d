import iconv from 'iconv-lite'
import { ExtractionError } from '../../../../src/ports/index.js'
import type { DocStreams } from './doc-container.js'

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
