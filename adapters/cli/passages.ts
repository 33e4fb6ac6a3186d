import type { SearchResult } from '../../src/index.js'
import { excerpt } from './excerpt.js'
import { oneLine } from './output.js'

/**
 * Prints passages for people: similarity and document, the score and which side of the search found it, and the text
 * around what matched. On a terminal, what matched is bold.
 */
export function printPassages(results: readonly SearchResult[]): void {
  if (results.length === 0) process.stdout.write('nothing found\n')
  results.forEach(({ similarity, score, content, match, source }, index) => {
    const lines = [
      `score ${score.toFixed(3)}, found by ${source.foundBy.join(' and ')}`,
      ...excerpt(content, match, isStyled() ? bold : undefined),
    ]
    const title = `${index + 1}. ${similarity.toFixed(3)}  ${oneLine(source.displayName)}`
    process.stdout.write(`${[title, ...lines.map((line) => `   ${line}`)].join('\n')}\n\n`)
  })
}

/** Whether people see the output who want it styled (https://no-color.org). */
function isStyled(): boolean {
  return process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb'
}

function bold(text: string): string {
  return `\u001b[1m${text}\u001b[22m`
}
