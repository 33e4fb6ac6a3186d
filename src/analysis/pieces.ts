/** A part of a word, with its range in the word. */
interface Piece {
  readonly text: string
  readonly start: number
  readonly end: number
}

/**
 * A piece is a run of digits, or capitals with the lower-case letters after them. A run of capitals ends before the
 * capital that begins the next word: "HTTP" and "Server" in "HTTPServer".
 */
const PIECE = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}\p{Nd}]+|\p{Lu}|\p{Nd}+/gu
const MAY_HAVE_PIECES = /\p{Lu}|\p{Nd}/u
/** A word that is one piece: "PDF", "Pdf", "404". */
const ONE_PIECE = /^(?:\p{Lu}*|\p{Lu}[^\p{Lu}\p{Nd}]*|\p{Nd}+)$/u
/** Capitals with a plural s, as in "PDFs": the last capital does not begin a word. */
const PLURAL_OF_CAPITALS = /^(\p{Lu}{2,})s$/u
/**
 * Persian joins words by a zero-width character, as other languages do by a hyphen. Some writers use a space instead.
 */
const PERSIAN_COMPOUND = /[\u0620-\u06d3]\u200c[\u0620-\u06d3]/
const NOT_JOINED = /[^\u200c]+/g
/** Minimum mean length of the pieces, in UTF-16 units, of a word with more than {@link FEW_PIECES} pieces. */
const MIN_MEAN_LENGTH = 3
const FEW_PIECES = 3

/**
 * Splits a word where its case changes, and where letters and digits meet. A text with many short pieces is not a name
 * but base64 or a hash, so it is not split.
 *
 * @returns the pieces; none if the word is not split
 */
export function splitPieces(word: string): readonly Piece[] {
  if (PERSIAN_COMPOUND.test(word)) return matchPieces(NOT_JOINED, word)
  if (!MAY_HAVE_PIECES.test(word)) return []
  const [, capitals] = PLURAL_OF_CAPITALS.exec(word) ?? []
  if (capitals !== undefined) return [{ text: capitals, start: 0, end: capitals.length }]
  if (ONE_PIECE.test(word)) return []
  const pieces = matchPieces(PIECE, word)
  if (pieces.length > FEW_PIECES && pieces.length * MIN_MEAN_LENGTH > word.length) return []
  return pieces.length > 1 ? pieces : []
}

function matchPieces(pattern: RegExp, word: string): Piece[] {
  return Array.from(word.matchAll(pattern), ({ 0: text, index }) => ({ text, start: index, end: index + text.length }))
}
