import Table from 'cli-table3'
import type { GlobalOptions } from './options.js'

/** Prints a result: one JSON value for programs, a sentence for people. */
export function printResult({ json }: GlobalOptions, value: unknown, sentence: string): void {
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${sentence}\n`)
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
  for (const [name, value] of Object.entries(record)) process.stdout.write(`${name}: ${cell(value)}\n`)
}

function table<Item extends object>(items: readonly Item[], columns: readonly (keyof Item & string)[]): string {
  const lines = new Table({ head: [...columns], style: { head: [], border: [], compact: true } })
  for (const item of items) lines.push(columns.map((column) => cell(item[column])))
  return lines.toString()
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
