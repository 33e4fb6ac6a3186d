import {
  type ErrorReasonCode,
  ExtractionError,
  errorReason,
  type ReasonArguments,
  type RecognizedText,
} from '../../../src/ports/index.js'
import { cutPiece, MarkLimit } from './marks.js'
import type { ReaderPiece, ReaderWarning } from './reader-piece.js'

export { storable } from './pieces.js'

/** The bytes of a file for a reader in the worker thread. */
export interface FileBytes {
  readonly sizeBytes: number
  /** Reads from the beginning. May be called several times. */
  open(): AsyncIterable<Uint8Array>
}

/** The recognition of text in pictures, in another process. */
export interface Recognition {
  /** The number of pictures that are read at the same time. */
  readonly atOnce: number
  /** True after the file has used its time: every other picture has an error. */
  readonly isOver: boolean
  /** @throws ExtractionError if the picture cannot be read */
  recognize(picture: Uint8Array): Promise<RecognizedText>
}

/**
 * Reads files of one kind.
 * @param recognition undefined where text in pictures is not read
 */
export type Reader = (file: FileBytes, recognition: Recognition | undefined) => AsyncIterable<ReaderPiece>

export function warning<Code extends ErrorReasonCode>(
  message: string,
  code: Code,
  ...parameters: ReasonArguments<Code>
): ReaderWarning {
  return { message, reason: errorReason(code, ...parameters) }
}

/** @param page the first page whose text is not recognised, because the file has used its time */
export function recognitionEnded(page: number): ReaderWarning {
  const message = `from page ${page} on, text in pictures is not recognised: it takes too long, split the file`
  return warning(message, 'recognition-ended', { page })
}

/** @param part the damaged part and its damage */
export function textMayBeMissing(part: string): ReaderWarning {
  return warning(`${part}: some of its text may be missing`, 'text-may-be-missing', { part })
}

/** @param count the number of pages that were found */
export function pagesMayBeLost(count: number): ReaderWarning {
  const message = `the file is damaged: ${count === 1 ? '1 page was' : `${count} pages were`} found, others may be lost`
  return warning(message, 'pages-may-be-lost', { count })
}

/** A file whose bytes are in memory. */
export function inMemory(bytes: Buffer): FileBytes {
  return {
    sizeBytes: bytes.length,
    open: async function* () {
      yield bytes
    },
  }
}

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
 * Limits the output of a reader: it cuts long pieces, leaves out marks that no honest file has, only counts warnings
 * after the first hundred, and refuses too much text.
 *
 * @throws ExtractionError `ERR_EXTRACTION_LIMIT`
 */
export async function* boundedPieces(
  pieces: AsyncIterable<ReaderPiece>,
  sizeBytes: number,
  maxTextCharacters: number,
): AsyncGenerator<ReaderPiece> {
  const maxCharacters = Math.min(
    FREE_CHARACTERS + sizeBytes * CHARACTERS_PER_BYTE,
    Math.max(maxTextCharacters, sizeBytes * ROW_CHARACTERS_PER_BYTE),
  )
  const warnings = new Warnings()
  const marks = new MarkLimit()
  let characters = 0
  for await (const piece of pieces) {
    characters += piece.text.length
    if (characters > maxCharacters) throw tooMuchText(maxCharacters)
    const limited = { ...piece, ...(piece.warnings !== undefined && { warnings: warnings.limit(piece.warnings) }) }
    yield* cutPiece(marks.limit(limited), MAX_PIECE_CHARACTERS)
  }
  yield* warnings.rest()
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

  limit(warnings: readonly ReaderWarning[]): readonly ReaderWarning[] {
    const kept = warnings.slice(0, this.#left)
    this.#left -= kept.length
    this.#omitted += warnings.length - kept.length
    // The values of a longer sentence are too long too, and its reason is left out.
    return kept.map((each) =>
      each.message.length <= MAX_WARNING_CHARACTERS
        ? each
        : { message: `${each.message.slice(0, MAX_WARNING_CHARACTERS).toWellFormed()}…` },
    )
  }

  /** Yields a piece without text that says how many warnings were left out, if any. */
  *rest(): Generator<ReaderPiece> {
    const count = this.#omitted
    if (count === 0) return
    yield { text: '', warnings: [warning(`… and ${count.toLocaleString('en-US')} more`, 'more-warnings', { count })] }
  }
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
