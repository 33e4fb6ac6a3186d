import { type ExtractedPiece, ExtractionError } from '../../src/ports/index.js'
import { piecesOf } from './readers/reader.js'

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
