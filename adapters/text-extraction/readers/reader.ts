import { type ExtractedPiece, ExtractionError } from '../../../src/ports/index.js'

/** The bytes of a file for a reader in the worker thread. */
export interface FileBytes {
  readonly sizeBytes: number
  /** Reads from the beginning. May be called several times. */
  open(): AsyncIterable<Uint8Array>
}

/** Reads files of one kind. */
export type Reader = (file: FileBytes) => AsyncIterable<ExtractedPiece>

/** Reads all bytes of a file, for formats that need the whole file. */
export async function readAll(file: FileBytes): Promise<Buffer> {
  const whole = Buffer.allocUnsafe(file.sizeBytes)
  let length = 0
  for await (const piece of file.open()) {
    if (piece.length === file.sizeBytes) return Buffer.from(piece.buffer, piece.byteOffset, piece.length)
    whole.set(piece, length)
    length += piece.length
  }
  return whole.subarray(0, length)
}

const MAX_PIECE_CHARACTERS = 131_072
const MAX_WARNINGS = 100
const MAX_WARNING_CHARACTERS = 500
/** Any file may have this much text, even a very small one. */
const FREE_CHARACTERS = 16 * 1_048_576
/** No ordinary file packs its text more densely. */
const CHARACTERS_PER_BYTE = 200
/** A table yields more text than the file has, because each row repeats the headers. */
const ROW_CHARACTERS_PER_BYTE = 16

/**
 * Limits the output of a reader: it cuts long pieces, only counts warnings after the first hundred, and refuses too
 * much text.
 *
 * @throws ExtractionError `ERR_EXTRACTION_LIMIT`
 */
export async function* boundedPieces(
  pieces: AsyncIterable<ExtractedPiece>,
  sizeBytes: number,
  maxTextCharacters: number,
): AsyncGenerator<ExtractedPiece> {
  const maxCharacters = Math.min(
    FREE_CHARACTERS + sizeBytes * CHARACTERS_PER_BYTE,
    Math.max(maxTextCharacters, sizeBytes * ROW_CHARACTERS_PER_BYTE),
  )
  const warnings = new Warnings()
  let characters = 0
  for await (const piece of pieces) {
    characters += piece.text.length
    if (characters > maxCharacters) throw tooMuchText(maxCharacters)
    yield* cut({ ...piece, ...(piece.warnings !== undefined && { warnings: warnings.limit(piece.warnings) }) })
  }
  yield* warnings.rest()
}

function* cut(piece: ExtractedPiece): Generator<ExtractedPiece> {
  const texts = [...piecesOf(piece.text, MAX_PIECE_CHARACTERS)]
  for (const text of texts.slice(0, -1)) yield { text }
  yield { ...piece, text: texts.at(-1) ?? '' }
}

function tooMuchText(maxCharacters: number): ExtractionError {
  const millions = Math.floor(maxCharacters / 1_000_000)
  return new ExtractionError(
    'ERR_EXTRACTION_LIMIT',
    `The file has more than ${millions} million characters of text: split it`,
  )
}

class Warnings {
  #left = MAX_WARNINGS
  #omitted = 0

  limit(warnings: readonly string[]): readonly string[] {
    const kept = warnings.slice(0, this.#left)
    this.#left -= kept.length
    this.#omitted += warnings.length - kept.length
    return kept.map((warning) =>
      warning.length <= MAX_WARNING_CHARACTERS
        ? warning
        : `${warning.slice(0, MAX_WARNING_CHARACTERS).toWellFormed()}…`,
    )
  }

  /** Yields a piece without text that says how many warnings were left out, if any. */
  *rest(): Generator<ExtractedPiece> {
    if (this.#omitted > 0) yield { text: '', warnings: [`… and ${this.#omitted.toLocaleString('en-US')} more`] }
  }
}

/** Cuts a text into pieces of at most `maxUnits` UTF-16 units, never inside a code point. */
export function* piecesOf(text: string, maxUnits: number): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + maxUnits)
    const lastUnit = text.charCodeAt(end - 1)
    if (end < text.length && lastUnit >= 0xd800 && lastUnit < 0xdc00) end -= 1
    yield text.slice(start, end)
    start = end
  }
}

/** Replaces characters that some databases cannot store: zeros and halves of surrogate pairs. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed()
}

/** A row as text. Every cell has the header of its column: `City: Oslo; Country: Norway`. */
export function rowText(row: readonly string[], header: readonly string[] | undefined): string {
  const cells = row.map((cell, column) => {
    const name = header?.[column]?.trim() ?? ''
    return name === '' || cell.trim() === '' ? cell : `${name}: ${cell}`
  })
  return cells.filter((cell) => cell.trim() !== '').join('; ')
}

/** Headers are words, and all of them differ. */
export function looksLikeHeader(row: readonly string[]): boolean {
  const names = row.map((cell) => cell.trim()).filter((cell) => cell !== '')
  if (names.length === 0 || names.length * 2 < row.length || new Set(names).size < names.length) return false
  return names.every((name) => name.length <= 100 && !/^[\d.,:/%$€£+-]+$/.test(name))
}
