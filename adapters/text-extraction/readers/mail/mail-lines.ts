import { addPage } from '../html/html-reader.js'
import { MarkedLines } from '../marked-lines.js'
import { warning } from '../reader.js'
import type { ReaderWarning } from '../reader-piece.js'

/** The lines before the body, in this order. */
export const SHOWN_HEADERS = ['Subject', 'From', 'To', 'Cc', 'Date'] as const
/** The characters by which the plain text and the page of a mail are compared. */
const COMPARED_CHARACTERS = 200_000
/** The share of other words up to which one of them says the same as the other. */
const SAME_WORDS = 0.2

/**
 * Adds the lines before a body.
 * @param valueOf the value of each of {@link SHOWN_HEADERS}
 * @param level the level of the subject among the headings
 */
export function addHeaders(
  valueOf: (name: (typeof SHOWN_HEADERS)[number]) => string,
  out: MarkedLines,
  level: number,
): void {
  for (const name of SHOWN_HEADERS) {
    const value = valueOf(name).replaceAll(/\s+/g, ' ').trim()
    if (value === '') continue
    if (name === 'Subject') out.mark(value, level)
    out.add(`${name}: ${value}`)
  }
  out.leaveGap()
}

/** Adds the plain text, the page, or both. @returns true if some of it could not be decoded */
export function addBody(
  { text, html = '' }: { readonly text?: string | undefined; readonly html?: string | undefined },
  out: MarkedLines,
): boolean {
  const plain = (text?.trim() ?? '').replaceAll(/\r\n?/g, '\n')
  const page = plain === '' || html === '' ? '' : textOfPage(html)
  const isPlainShown = plain !== '' && (page === '' || !isWithin(plain, page) || isWithin(page, plain))
  const isPageShown = html !== '' && (plain === '' || (page.length * 2 >= plain.length && !isWithin(page, plain)))
  if (isPlainShown) out.add(plain)
  if (isPlainShown && isPageShown) out.leaveGap()
  if (isPageShown) addPage(html, out)
  return (isPlainShown && plain.includes('\uFFFD')) || (isPageShown && page.includes('\uFFFD'))
}

function textOfPage(html: string): string {
  const lines = new MarkedLines()
  addPage(html, lines)
  return [...lines.pieces()].map(({ text }) => text).join('')
}

/** True if nearly all words of a text are words of the other. Addresses of links do not count: a page hides them. */
function isWithin(text: string, other: string): boolean {
  const words = wordsOf(text)
  const others = wordsOf(other)
  let missing = 0
  for (const word of words) if (!others.has(word)) missing += 1
  return missing <= words.size * SAME_WORDS
}

function wordsOf(text: string): Set<string> {
  const shown = text
    .slice(0, COMPARED_CHARACTERS)
    .replaceAll(/\b(?:https?|mailto):\S+/gi, ' ')
    .toLowerCase()
  // Scripts without blanks have no words that could be compared.
  return new Set(shown.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu))
}

/**
 * Names the attachments, which are not read.
 * @param names null for one without a name
 * @returns the warnings
 */
export function addAttachments(names: readonly (string | null)[], out: MarkedLines): ReaderWarning[] {
  const named = names.filter((name) => name !== null)
  if (named.length > 0) {
    out.leaveGap()
    out.add(`Attachments: ${named.map((name) => name.replaceAll(/\s+/g, ' ')).join('; ')}`)
  }
  const count = names.length
  if (count === 0) return []
  const message = count === 1 ? '1 attachment is not read' : `${count} attachments are not read`
  return [warning(message, 'attachments-not-read', { count })]
}

/** The warning about characters of a body that could not be decoded. */
export function undecodable(): ReaderWarning {
  const message = 'some characters of the mail could not be decoded and became U+FFFD'
  return warning(message, 'mail-characters-undecodable')
}
