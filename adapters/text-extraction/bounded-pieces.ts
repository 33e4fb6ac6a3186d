import { type ExtractedPiece, ExtractionError } from '../../src/ports/index.js'
import { piecesOf } from './readers/reader.js'

const MAX_PIECE_CHARACTERS = 131_072
const MAX_WARNINGS = 100
const MAX_WARNING_CHARACTERS = 500
/** A small file may have this much text whatever its size. */
const FREE_CHARACTERS = 16 * 1_048_576
/** No honest file packs its text more densely. */
const CHARACTERS_PER_BYTE = 200
/** Rows of a table repeat their headers. */
const ROW_CHARACTERS_PER_BYTE = 16

/**
 * What a reader gives, in bounds: pieces are cut, warnings are counted after the
 * first hundred, and a text without measure is refused.
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
    yield* cut({ ...piece, ...(piece.warnings !== undefined && { warnings: warnings.take(piece.warnings) }) })
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
  #untold = 0

  take(warnings: readonly string[]): readonly string[] {
    const taken = warnings.slice(0, this.#left)
    this.#left -= taken.length
    this.#untold += warnings.length - taken.length
    return taken.map((warning) =>
      warning.length <= MAX_WARNING_CHARACTERS
        ? warning
        : `${warning.slice(0, MAX_WARNING_CHARACTERS).toWellFormed()}…`,
    )
  }

  /** A piece without text that says how many were left out, where any were. */
  *rest(): Generator<ExtractedPiece> {
    if (this.#untold > 0) yield { text: '', warnings: [`… and ${this.#untold.toLocaleString('en-US')} more`] }
  }
}
