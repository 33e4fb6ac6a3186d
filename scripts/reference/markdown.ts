/** Pieces of Markdown that the generated pages are made of. */

/** A table, its columns as wide as their widest cell; a column that is empty in every row is left out. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const used = head.map((_, column) => rows.some((row) => (row[column] ?? '') !== ''))
  const lines = [head, ...rows.map((cells) => cells.map(cell))].map((line) => line.filter((_, column) => used[column]))
  const widths = (lines[0] ?? []).map((_, column) => Math.max(3, ...lines.map((line) => line[column]?.length ?? 0)))
  const [first = '', ...others] = lines.map((line) =>
    row(widths.map((width, column) => (line[column] ?? '').padEnd(width))),
  )
  return [first, row(widths.map((width) => '-'.repeat(width))), ...others].join('\n')
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

/** Text in a cell: on one line, and no bar ends it. */
function cell(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', String.raw`\|`)
}

export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

/** A text of the program as a sentence: it begins with a capital and ends with a full stop. */
export function sentence(text: string): string {
  const trimmed = text.trim()
  if (trimmed === '') return ''
  const begun = /^[a-z]+\b(?![.(])/.test(trimmed) ? `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}` : trimmed
  return /[.!?:]$/.test(begun) ? begun : `${begun}.`
}

/** The note at the top of a generated page. */
export function generatedNote(source: string): string {
  return `> This page is generated from ${source}. Do not edit it: change the source and run \`npm run generate:reference\`.`
}

/** A whole page: its parts with an empty line between them. */
export function page(...parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}
