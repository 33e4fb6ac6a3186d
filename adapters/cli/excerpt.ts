import type { Passage } from '../../src/index.js'
import { printable } from './output.js'

/** As much of a text as a person reads at a glance. */
const MAX_CHARACTERS = 1_200
/** What is shown before a passage that is far inside of a text. */
const LEAD_CHARACTERS = 300

/**
 * The lines of a chunk's text that a person is shown: its beginning, or what is around the passage that matched.
 *
 * @param mark gets each line, or part of a line, of the passage; default: it stays as it is
 */
export function excerpt(content: string, match: Passage, mark: (text: string) => string = (text) => text): string[] {
  const from = beginningOf(content, match)
  const to = Math.min(content.length, from + MAX_CHARACTERS)
  const marked = markLines(printable(cut(content, Math.max(from, match.start), Math.min(to, match.end))), mark)
  const isWhole = match.start === 0 && match.end === content.length
  const shown = isWhole
    ? printable(cut(content, from, to))
    : printable(cut(content, from, Math.min(to, match.start))) + marked + printable(cut(content, match.end, to))
  return [
    ...(from > 0 ? [`… after ${from} characters`] : []),
    ...shown.trim().split('\n'),
    ...(to < content.length ? [`… and ${content.length - to} more characters (--json prints all)`] : []),
  ]
}

/** Where the excerpt begins: at a line or a word. */
function beginningOf(content: string, match: Passage): number {
  if (match.end <= MAX_CHARACTERS) return 0
  const earliest = Math.max(0, match.start - LEAD_CHARACTERS)
  const lead = content.slice(earliest, match.start)
  const space = /\n\s*/u.exec(lead) ?? /\s+/u.exec(lead)
  return space === null ? earliest : earliest + space.index + space[0].length
}

/** A part of a text, without half of a surrogate pair at its ends. */
function cut(content: string, from: number, to: number): string {
  return from < to ? content.slice(from, to).toWellFormed() : ''
}

function markLines(text: string, mark: (text: string) => string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : mark(line)))
    .join('\n')
}
