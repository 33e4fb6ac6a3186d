/** Part of a word, with its place in it. */
interface Piece {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Capitals and what follows them, or digits. A run of capitals ends before the one that begins a word: "HTTPServer". */
const PIECE = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}\p{Nd}]+|\p{Lu}|\p{Nd}+/gu
const MAY_HAVE_PIECES = /\p{Lu}|\p{Nd}/u
/** "PDF", "Pdf", "404". */
const ONE_PIECE = /^(?:\p{Lu}*|\p{Lu}[^\p{Lu}\p{Nd}]*|\p{Nd}+)$/u
/** "PDFs": not a word that begins with its last capital. */
const PLURAL_OF_CAPITALS = /^(\p{Lu}{2,})s$/u
/** Persian joins words by a character without width, as others do by a hyphen; some writers leave a space. */
const PERSIAN_COMPOUND = /[\u0620-\u06d3]\u200c[\u0620-\u06d3]/
const NOT_JOINED = /[^\u200c]+/g
const SHORTEST_MEAN_LENGTH = 3
const FEW = 3

/**
 * What changes of case, and from letters to digits, make of a word: none if it is one piece.
 * What has many short pieces is no name that somebody made up: base64, a hash. It has none.
 */
export function piecesOf(word: string): readonly Piece[] {
  if (PERSIAN_COMPOUND.test(word)) return piecesBy(NOT_JOINED, word)
  if (!MAY_HAVE_PIECES.test(word)) return []
  const [, capitals] = PLURAL_OF_CAPITALS.exec(word) ?? []
  if (capitals !== undefined) return [{ text: capitals, start: 0, end: capitals.length }]
  if (ONE_PIECE.test(word)) return []
  const pieces = piecesBy(PIECE, word)
  if (pieces.length > FEW && pieces.length * SHORTEST_MEAN_LENGTH > word.length) return []
  return pieces.length > 1 ? pieces : []
}

function piecesBy(pattern: RegExp, word: string): Piece[] {
  return Array.from(word.matchAll(pattern), ({ 0: text, index }) => ({ text, start: index, end: index + text.length }))
}
