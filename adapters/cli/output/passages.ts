import type { Passage, ResultSource, SearchResult } from '../../../src/index.js'
import { counted, oneLine, printable } from './output.js'

/** A result, with its context if the search had several. */
export interface FoundChunk extends SearchResult {
  readonly contextId?: number | undefined
  readonly contextName?: string | undefined
}

/**
 * Prints results for people: similarity and document, the score and the indexes that found it, the words that were
 * taken for others, and the text around the passage. On a terminal, the passage is bold.
 */
export function printPassages(results: readonly FoundChunk[]): void {
  if (results.length === 0) process.stdout.write('nothing found\n')
  results.forEach(({ similarity, score, content, match, source, contextName }, index) => {
    const lines = [
      ...placeOf(source),
      `score ${score.toFixed(3)}, found by ${source.foundBy.join(' and ')}`,
      ...(source.corrected ?? []).map(({ from, to }) => `${oneLine(from)}: found as ${oneLine(to)}`),
      ...excerpt(content, match, isStyled() ? bold : undefined),
      ...(source.collapsed === undefined ? [] : [`and ${counted(source.collapsed, 'more chunk')} with the same text`]),
    ]
    const place = contextName === undefined ? '' : `${oneLine(contextName)}: `
    const title = `${index + 1}. ${similarity.toFixed(3)}  ${place}${oneLine(source.displayName)}`
    process.stdout.write(`${[title, ...lines.map((line) => `   ${line}`)].join('\n')}\n\n`)
  })
}

/** A line with the pages and headings of a result, if they are known. */
function placeOf({ pages, headings }: ResultSource): string[] {
  const range =
    pages === null ? [] : [pages.first === pages.last ? `page ${pages.first}` : `pages ${pages.first}–${pages.last}`]
  const parts = [...range, ...(headings.length > 0 ? [headings.map(oneLine).join(' › ')] : [])]
  return parts.length === 0 ? [] : [parts.join(': ')]
}

/** True if stdout is a terminal whose user wants styled output (https://no-color.org). */
function isStyled(): boolean {
  return process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb'
}

function bold(text: string): string {
  return `\u001b[1m${text}\u001b[22m`
}

/** The longest excerpt: what a person reads at a glance. */
const MAX_CHARACTERS = 1_200
/** The most text before a passage that is far from the beginning. */
const LEAD_CHARACTERS = 300

/**
 * The lines of a chunk's text for a terminal: its beginning, or the text around the passage that matched.
 *
 * @param mark styles a line, or part of a line, of the passage; default: no style
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

/** The index at which the excerpt begins: the beginning of a line or of a word. */
function beginningOf(content: string, match: Passage): number {
  if (match.end <= MAX_CHARACTERS) return 0
  const earliest = Math.max(0, match.start - LEAD_CHARACTERS)
  const lead = content.slice(earliest, match.start)
  const space = /\n\s*/u.exec(lead) ?? /\s+/u.exec(lead)
  return space === null ? earliest : earliest + space.index + space[0].length
}

/** A part of a text. Half a surrogate pair at either end becomes U+FFFD. */
function cut(content: string, from: number, to: number): string {
  return from < to ? content.slice(from, to).toWellFormed() : ''
}

function markLines(text: string, mark: (text: string) => string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : mark(line)))
    .join('\n')
}
