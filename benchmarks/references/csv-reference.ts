import { existsSync, readFileSync } from 'node:fs'
import { readRows } from './read-independently.js'

/** The rows that a table has: by its expected file, otherwise by Python's reading. */
export function rowsOf(path: string, expectedPath: string): string[][] | undefined {
  if (!existsSync(expectedPath)) return readRows(path)
  const records = JSON.parse(readFileSync(expectedPath, 'utf8')) as readonly Readonly<Record<string, string>>[]
  return [Object.keys(records[0] ?? {}), ...records.map((record) => Object.values(record))]
}

/** True if the adapter's text has every cell of every row, each with its header if the first row has headers. */
export function isRowEqual(rows: readonly (readonly string[])[], text: string): boolean {
  const [header = [], ...others] = rows
  const first = lineOf(header, (cell) => cell)
  const withHeaders = others.map((row) => lineOf(row, (cell, column) => named(header[column], cell)))
  const withoutHeaders = others.map((row) => lineOf(row, (cell) => cell))
  const found = comparable(text)
  return [withHeaders, withoutHeaders].some((lines) => comparable([first, ...lines].join('\n')) === found)
}

/** True if two readings have the same cells. */
export function areSameRows(rows: readonly (readonly string[])[], others: readonly (readonly string[])[]): boolean {
  const cells = (table: readonly (readonly string[])[]): string =>
    table.map((row) => row.map(comparable).join('\u0001')).join('\u0002')
  return cells(rows) === cells(others)
}

function lineOf(row: readonly string[], cellText: (cell: string, column: number) => string): string {
  return row
    .map((cell, column) => (cell.trim() === '' ? '' : cellText(cell, column)))
    .filter((cell) => cell !== '')
    .join('; ')
}

function named(header: string | undefined, cell: string): string {
  const name = header?.trim() ?? ''
  return name === '' ? cell : `${name}: ${cell}`
}

/** Keeps ASCII alone: the benchmark compares the ends of cells, and not the decoding of characters. */
function comparable(text: string): string {
  return text.replace(/[^\x21-\x7E]+/g, '')
}
