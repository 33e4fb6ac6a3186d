import type { Spread } from './measure.js'

type Row = Readonly<Record<string, unknown>>

/**
 * Writes results as Markdown: a table for each list of rows, and one for the single figures. A spread becomes `median
 * (least to most)`.
 */
export function toMarkdown(results: unknown): string {
  if (Array.isArray(results)) return table(results as readonly Row[])
  const entries = Object.entries(results as Row)
  const isList = ([, value]: [string, unknown]): boolean => Array.isArray(value)
  const isGroup = ([, value]: [string, unknown]): boolean =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isSpread(value)
  const single = Object.fromEntries(entries.filter((entry) => !isList(entry) && !isGroup(entry)))
  const parts = Object.keys(single).length > 0 ? [table([single])] : []
  for (const [name, value] of entries.filter((entry) => isList(entry) || isGroup(entry))) {
    const rows = Array.isArray(value) ? (value as readonly Row[]) : [value as Row]
    if (rows.length > 0) parts.push(`${name}:`, table(rows))
  }
  return parts.join('\n\n')
}

function table(rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const lines = [columns, columns.map(() => '---'), ...rows.map((row) => columns.map((column) => cell(row[column])))]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function cell(value: unknown): string {
  if (isSpread(value)) return `${figure(value.median)} (${figure(value.least)} to ${figure(value.most)})`
  if (typeof value === 'number') return figure(value)
  if (value === undefined || value === null) return ''
  return (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('|', '\\|')
}

function figure(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3
  return String(Number(value.toFixed(digits)))
}

function isSpread(value: unknown): value is Spread {
  return typeof value === 'object' && value !== null && 'median' in value && 'least' in value && 'most' in value
}
