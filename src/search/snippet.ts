import type { Passage } from './densest-passage.js'

/** Maximum length of a snippet, in UTF-16 units. */
export const MAX_SNIPPET = 320
/** Maximum length of the names of a table's columns in a snippet. */
const MAX_COLUMNS = 120
const ELLIPSIS = '…'

const TABLE_ROW = /^\s*\|/
/** The signs of the line below the names of a table's columns, which has a hyphen. */
const TABLE_RULE = /^[\s:|-]*$/

/** The parts of a result that make its snippet. */
interface SnippetParts {
  readonly content: string
  readonly match: Passage
  /** The part of the match that is best: it is in the snippet if the match is too long for one. */
  readonly core: Passage
  readonly headings: readonly string[]
}

/**
 * Makes one line for lists: the match, or the part of a long one around its best words. The rows of a Markdown table follow
 * the names of its columns.
 *
 * @returns at most 320 UTF-16 units, without line breaks; cut at words
 */
export function snippetOf({ content, match, core, headings }: SnippetParts): string {
  const columns = columnsAbove(content, match, headings)
  const head = columns === undefined ? '' : `${cutEnd(columns, MAX_COLUMNS)} ${ELLIPSIS} `
  const room = MAX_SNIPPET - head.length
  const text = content.slice(match.start, match.end)
  const whole = oneLine(text)
  if (whole.length <= room) return head + whole
  // Most of the room is for what follows the beginning of the best words.
  const lead = Math.floor(room / 4)
  const from = Math.max(match.start, Math.min(core.start, match.end) - lead)
  if (from === match.start) return head + cutEnd(whole, room)
  const rest = oneLine(content.slice(wordStart(content, from), match.end))
  return `${head}${ELLIPSIS} ${cutEnd(rest, room - 2)}`
}

function oneLine(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .toWellFormed()
}

/** @returns the start of the first word behind an offset; the offset if none is near */
function wordStart(text: string, offset: number): number {
  const space = /\s+/u.exec(text.slice(offset, offset + 40))
  return space === null ? offset : offset + space.index + space[0].length
}

/** Cuts a line at a word, and says so. */
function cutEnd(line: string, most: number): string {
  if (line.length <= most) return line
  const cut = line.slice(0, most - 1)
  const space = cut.lastIndexOf(' ')
  return (space > most - 40 ? cut.slice(0, space) : cut.replace(/[\ud800-\udbff]$/, '')) + ELLIPSIS
}

/** @returns the names of the columns of the table in whose rows the match begins, unless the match has them */
function columnsAbove(content: string, { start }: Passage, headings: readonly string[]): string | undefined {
  const row = Math.max(content.lastIndexOf('\n', start - 1), content.lastIndexOf('\r', start - 1)) + 1
  if (!TABLE_ROW.test(content.slice(row, start + 16))) return undefined
  const lines = content.slice(0, start).split(/\r?\n|\r/u)
  lines.pop()
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at] ?? ''
    if (!line.includes('|')) return undefined
    if (line.includes('-') && TABLE_RULE.test(line))
      return lines[at - 1] === undefined ? headings.at(-1) : oneLine(lines[at - 1] ?? '')
  }
  const last = headings.at(-1)
  return last?.includes('|') === true ? last : undefined
}
