/** A part of a text. Offsets count UTF-16 units. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** A piece of a passage, in one look. */
export interface Piece {
  readonly start: number
  readonly text: string
  /** True in the part that the engine says matched. */
  readonly isMatch: boolean
  /** True in a word of the prompt. */
  readonly isWord: boolean
}

/** A word of a prompt, or one that counted as it, with the form that the word index compares. */
export interface SoughtWord {
  readonly word: string
  readonly term: string
}

/** Length of a text that is shown as a whole. */
const SHORT_LENGTH = 700
/** Text around the match in an excerpt. */
const AROUND_LENGTH = 200
/** Share of a text from which its match marks nothing. */
const WHOLE_SHARE = 0.95

/** @returns the part of a text to show first: the match with some text around it, from word to word */
export function excerptOf(text: string, match: Range): Range {
  if (text.length <= SHORT_LENGTH) return { start: 0, end: text.length }
  const from = Math.max(0, match.start - AROUND_LENGTH)
  const to = Math.min(text.length, match.end + AROUND_LENGTH)
  const before = from === 0 ? 0 : text.indexOf(' ', from) + 1
  const after = to === text.length ? to : text.lastIndexOf(' ', to)
  return {
    start: before > 0 && before <= match.start ? before : from,
    end: after >= match.end ? after : to,
  }
}

/** @returns the pieces of one part of a text, in order */
export function piecesOf(text: string, match: Range, words: readonly SoughtWord[], shown: Range): Piece[] {
  const isWhole = match.end - match.start >= text.length * WHOLE_SHARE
  const found = findWords(text, words)
  const edges = [match, ...found].flatMap(({ start, end }) => [start, end])
  const cuts = [...new Set([shown.start, ...edges, shown.end])]
    .filter((at) => at >= shown.start && at <= shown.end)
    .sort((one, other) => one - other)
  return cuts.slice(0, -1).map((start, at) => {
    const piece = { start, end: cuts[at + 1] ?? shown.end }
    return {
      start,
      text: text.slice(start, piece.end),
      isMatch: !isWhole && isInside(piece, match),
      isWord: found.some((word) => isInside(piece, word)),
    }
  })
}

const LETTER = /[\p{L}\p{N}]/u
/** Scripts without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/**
 * Finds the words of a prompt in a text, for the eye, under any case and accents. The engine
 * decides by its own rules what matches.
 */
function findWords(text: string, words: readonly SoughtWord[]): Range[] {
  const folded = fold(text)
  const forms = new Set(words.flatMap(({ word, term }) => [fold(word), fold(term)]).filter((form) => form !== ''))
  return [...forms].flatMap((form) => {
    const found: Range[] = []
    for (let at = folded.indexOf(form); at >= 0; at = folded.indexOf(form, at + form.length)) {
      const end = at + form.length
      const isPart = LETTER.test(folded[at - 1] ?? '') || LETTER.test(folded[end] ?? '')
      if (UNSPACED.test(form) || !isPart) found.push({ start: at, end })
    }
    return found
  })
}

/** Drops case and accents, unit by unit, so that offsets stay. */
function fold(text: string): string {
  let folded = ''
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charAt(at)
    const [base = '', second = ''] = unit < '\u0080' ? [unit] : unit.normalize('NFD')
    folded += (/^\p{M}/u.test(second) ? base : unit).toLowerCase().charAt(0)
  }
  return folded
}

function isInside(piece: Range, range: Range): boolean {
  return piece.start >= range.start && piece.end <= range.end
}
