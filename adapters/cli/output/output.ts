import Table from 'cli-table3'
import type { GlobalOptions } from '../options.js'
import { withGivenOptions } from './hints.js'

/**
 * Makes untrusted text safe for a terminal, which control characters could attack.
 * Each becomes U+FFFD, except line ends and tabs.
 */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/[^\P{Cc}\n\t]/gu, '\uFFFD')
}

/** Makes untrusted text of one line, such as a name, safe for a terminal. Replaces line ends and tabs too. */
export function oneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, '\uFFFD')
}

/** A message of one line, whose hints have the options of the command. */
export function messageLine(text: string): string {
  return oneLine(withGivenOptions(text))
}

/** For example `1 file` or `2 files`. */
export function counted(count: number, thing: string, things: string = `${thing}s`): string {
  return `${count} ${count === 1 ? thing : things}`
}

/** Writes one line to stderr, beside the result on stdout. */
export function tell(line: string): void {
  process.stderr.write(`${messageLine(line)}\n`)
}

/** Prints a result: one JSON value for programs; for people a sentence, or several with a line each. */
export function printResult({ json }: GlobalOptions, value: unknown, sentence: string | readonly string[]): void {
  const lines = typeof sentence === 'string' ? [sentence] : sentence
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${lines.map(messageLine).join('\n')}\n`)
}

/** A width that every terminal has. */
const TABLE_WIDTH = 100

/**
 * Prints a list: a JSON array for programs; a table for people.
 *
 * @param options.shortened column whose texts are cut to fit the table in 100 columns. Default: none is cut
 */
export function printList<Item extends object>(
  { json }: GlobalOptions,
  items: readonly Item[],
  columns: readonly (keyof Item & string)[],
  { shortened }: { readonly shortened?: keyof Item & string } = {},
): void {
  if (json) process.stdout.write(`${JSON.stringify(items)}\n`)
  else if (items.length === 0) process.stdout.write('none\n')
  else process.stdout.write(`${table(items, columns, shortened)}\n`)
}

/** Prints one record: JSON for programs; for people a line for each member. */
export function printRecord({ json }: GlobalOptions, record: object): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(record)}\n`)
    return
  }
  printMembers(record, '')
}

/** Indents the further lines of a value and the members of a member, so that none looks like a member of the record. */
function printMembers(record: object, indent: string): void {
  for (const [name, value] of Object.entries(record) as [string, unknown][]) {
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
    const text = isRecord ? '' : printable(cell(value)).replaceAll('\n', `\n${indent}  `)
    process.stdout.write(`${indent}${name}: ${text}`.trimEnd() + '\n')
    if (isRecord) printMembers(value, `${indent}  `)
  }
}

function table<Item extends object>(
  items: readonly Item[],
  columns: readonly (keyof Item & string)[],
  shortened?: keyof Item & string,
): string {
  const rows = items.map((item) => columns.map((column) => oneLine(cell(item[column]))))
  const at = columns.findIndex((column) => column === shortened)
  const lines = new Table({
    head: [...columns],
    style: { head: [], border: [], compact: true },
    ...(at >= 0 && { colWidths: widthsOf([columns, ...rows], at) }),
  })
  for (const row of rows) lines.push(row)
  return lines.toString()
}

/** The widths of columns, such that one of them is shortened if the table would be wider than a terminal. */
function widthsOf(rows: readonly (readonly string[])[], shortened: number): number[] {
  // A cell has a space on each side, and a line after it.
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => columnsOf(row[at] ?? ''))) + 2)
  const others = widths.reduce((sum, width, at) => sum + (at === shortened ? 1 : width + 1), 1)
  return widths.map((width, at) => (at === shortened ? Math.min(width, Math.max(12, TABLE_WIDTH - others)) : width))
}

/** At least the columns that a terminal takes for a text: some signs take two. */
function columnsOf(text: string): number {
  let columns = 0
  for (const sign of text) columns += sign > '\u02FF' ? 2 : 1
  return columns
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
