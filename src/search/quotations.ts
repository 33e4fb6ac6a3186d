import { inflectedWords } from '../analysis/index.js'

/** A text between quotation marks, with the marks. */
interface Quotation {
  /** Offset of the first mark, in UTF-16 units. */
  readonly start: number
  /** Offset after the last mark. */
  readonly end: number
}

const OPENING = /["\u201c\u201e\u00ab]/g
/** The marks that close a quotation, by the mark that opens it. */
const CLOSING: Readonly<Record<string, RegExp>> = {
  '"': /"/,
  '\u201c': /\u201d/,
  '\u201e': /[\u201c\u201d]/,
  '\u00ab': /\u00bb/,
}

/** @returns the quotations of a text, in its order; a mark that nothing closes opens none */
export function quotationsIn(text: string): readonly Quotation[] {
  const quotations: Quotation[] = []
  // Nothing closes a further mark of these either: each is looked for once.
  const unclosed = new Set<string>()
  let from = 0
  for (const { index, 0: mark } of text.matchAll(OPENING)) {
    const closing = CLOSING[mark]
    if (index < from || closing === undefined || unclosed.has(mark)) continue
    const length = text.slice(index + 1).search(closing)
    if (length === -1) {
      unclosed.add(mark)
      continue
    }
    from = index + length + 2
    quotations.push({ start: index, end: from })
  }
  return quotations
}

/** @returns the words of all quotations of a text, which are found as they are */
export function quotedWords(text: string): ReadonlySet<string> {
  const quotations = quotationsIn(text).map(({ start, end }) => text.slice(start, end))
  return inflectedWords(quotations.join(' '))
}

/** @returns a text with a line break in the place of each quotation */
export function withoutQuotations(text: string): string {
  let rest = ''
  let from = 0
  for (const { start, end } of quotationsIn(text)) {
    rest += `${text.slice(from, start)}\n`
    from = end
  }
  return rest + text.slice(from)
}
