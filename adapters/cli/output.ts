import Table from 'cli-table3'
import type { GlobalOptions } from './options.js'

/**
 * Text of strangers for a terminal, where control characters could do anything:
 * each is shown as U+FFFD, but for line ends and tabs.
 */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/[^\P{Cc}\n\t]/gu, '\uFFFD')
}

/** As {@link printable}, for what is one line, such as a name. */
export function oneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, '\uFFFD')
}

/** Such as `1 file` or `2 files`. */
export function counted(count: number, thing: string, things: string = `${thing}s`): string {
  return `${count} ${count === 1 ? thing : things}`
}

/** Says something beside the result, in one line. */
export function tell(line: string): void {
  process.stderr.write(`${oneLine(line)}\n`)
}

/** Prints a result: one JSON value for programs, a sentence for people, or several of a line each. */
export function printResult({ json }: GlobalOptions, value: unknown, sentence: string | readonly string[]): void {
  const lines = typeof sentence === 'string' ? [sentence] : sentence
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${lines.map(oneLine).join('\n')}\n`)
}

/** Prints a list: a JSON array for programs, a table for people. */
export function printList<Item extends object>(
  { json }: GlobalOptions,
  items: readonly Item[],
  columns: readonly (keyof Item & string)[],
): void {
  if (json) process.stdout.write(`${JSON.stringify(items)}\n`)
  else if (items.length === 0) process.stdout.write('none\n')
  else process.stdout.write(`${table(items, columns)}\n`)
}

/** Prints one record: JSON for programs, a line for each member for people. */
export function printRecord({ json }: GlobalOptions, record: object): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(record)}\n`)
    return
  }
  printMembers(record, '')
}

/** Further lines of a value, and the members of a member, are indented: none of them can be taken for a member. */
function printMembers(record: object, indent: string): void {
  for (const [name, value] of Object.entries(record) as [string, unknown][]) {
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
    const text = isRecord ? '' : printable(cell(value)).replaceAll('\n', `\n${indent}  `)
    process.stdout.write(`${indent}${name}: ${text}`.trimEnd() + '\n')
    if (isRecord) printMembers(value, `${indent}  `)
  }
}

function table<Item extends object>(items: readonly Item[], columns: readonly (keyof Item & string)[]): string {
  const lines = new Table({ head: [...columns], style: { head: [], border: [], compact: true } })
  for (const item of items) lines.push(columns.map((column) => oneLine(cell(item[column]))))
  return lines.toString()
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
