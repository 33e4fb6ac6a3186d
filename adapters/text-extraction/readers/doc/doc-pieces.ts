import iconv from 'iconv-lite'
import { ExtractionError } from '../../../../src/ports/index.js'
import type { DocStreams } from './doc-container.js'

/** A stretch of the text that lies in one place of the file. */
export interface Piece {
  /** Its first character's position in the document; positions count UTF-16 units. */
  readonly position: number
  readonly length: number
  /** Where its first byte lies in the main stream. */
  readonly offset: number
  readonly bytesPerUnit: 1 | 2
  /** Properties that were changed in a hurry, for the whole piece: a list of them, or one in two bytes. */
  readonly changes: Buffer | number
}

/** The text of a .doc, with the marks that Word has in it, and where it lies in the file. */
export interface DocPieces {
  readonly text: string
  readonly pieces: readonly Piece[]
  /** Whether the file ends before its text does. */
  readonly isTorn: boolean
}

/** Place of the piece table in the table stream, as [MS-DOC] 2.5.6 has it (`fcClx`). */
const CLX = 0x01a2
const COMPRESSED_FLAG = 0x4000_0000
/** Pieces that lie over each other are no text. */
const MAX_OVERLAP = 2

/** @throws ExtractionError `ERR_CORRUPT_FILE` where the piece table makes no sense */
export function readPieces({ main, table }: DocStreams): DocPieces {
  const { lists, start, count } = findTable(main, table)
  const pieces: Piece[] = []
  const texts: string[] = []
  let position = 0
  let isTorn = false
  for (let index = 0; index < count; index += 1) {
    const wanted = table.readUInt32LE(start + index * 4 + 4) - table.readUInt32LE(start + index * 4)
    const descriptor = start + (count + 1) * 4 + index * 8
    const place = table.readUInt32LE(descriptor + 2)
    const bytesPerUnit = (place & COMPRESSED_FLAG) === 0 ? 2 : 1
    const offset = bytesPerUnit === 2 ? place & 0x3fff_ffff : (place & 0x3fff_ffff) >>> 1
    const length = Math.max(0, Math.min(wanted, Math.floor((main.length - offset) / bytesPerUnit)))
    isTorn ||= length !== wanted
    if ((position + length) / main.length > MAX_OVERLAP) throw damaged()
    const bytes = main.subarray(offset, offset + length * bytesPerUnit)
    texts.push(bytesPerUnit === 2 ? bytes.toString('utf16le') : iconv.decode(bytes, 'windows-1252'))
    const change = table.readUInt16LE(descriptor + 6)
    const changes = (change & 1) === 0 ? change : (lists[change >>> 1] ?? 0)
    pieces.push({ position, length, offset, bytesPerUnit, changes })
    position += length
  }
  return { text: texts.join(''), pieces, isTorn }
}

interface PieceTable {
  /** Lists of properties that pieces refer to by number. */
  readonly lists: readonly Buffer[]
  /** Where the positions begin; the pieces' descriptors follow them. */
  readonly start: number
  readonly count: number
}

/** The table lies behind lists of properties ([MS-DOC] 2.9.38). */
function findTable(main: Buffer, table: Buffer): PieceTable {
  const lists: Buffer[] = []
  let at = main.readUInt32LE(CLX)
  while (at + 3 <= table.length && table[at] === 1) {
    const size = table.readUInt16LE(at + 1)
    lists.push(table.subarray(at + 3, at + 3 + size))
    at += 3 + size
  }
  if (at + 5 > table.length || table[at] !== 2) throw damaged()
  const size = table.readUInt32LE(at + 1)
  const count = Math.floor((size - 4) / 12)
  if (count < 1 || at + 5 + size > table.length) throw damaged()
  return { lists, start: at + 5, count }
}

function damaged(): ExtractionError {
  return new ExtractionError('ERR_CORRUPT_FILE', 'The document is damaged: the table of its text makes no sense')
}
