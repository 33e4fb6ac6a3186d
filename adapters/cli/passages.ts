import type { Document, SearchResult } from '../../src/index.js'
import { oneLine, printable } from './output.js'

/** As much of a passage as a person reads at a glance. */
const MAX_CHARACTERS = 1_200

/** Prints passages for people: similarity, document, and the beginning of the text. */
export function printPassages(results: readonly SearchResult[], documents: readonly Document[]): void {
  if (results.length === 0) process.stdout.write('nothing found\n')
  const names = new Map(documents.map(({ id, displayName }) => [id, displayName]))
  results.forEach(({ docId, similarity, content }, index) => {
    process.stdout.write(
      `${index + 1}. ${similarity.toFixed(3)}  ${oneLine(names.get(docId) ?? '')}\n${excerpt(content)}\n\n`,
    )
  })
}

function excerpt(content: string): string {
  const shown = content.slice(0, MAX_CHARACTERS).toWellFormed()
  const rest = content.length - shown.length
  const lines = printable(shown)
    .trim()
    .split('\n')
    .map((line) => `   ${line}`)
  if (rest > 0) lines.push(`   … and ${rest} more characters (--json prints all)`)
  return lines.join('\n')
}
