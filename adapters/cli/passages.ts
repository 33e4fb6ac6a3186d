import type { SearchResult } from '../../src/index.js'
import { excerpt } from './excerpt.js'
import { oneLine } from './output.js'

/**
 * Prints results for people: similarity and document, the score and the indexes that found it, and the text around
 * the passage. On a terminal, the passage is bold.
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

/** True if stdout is a terminal whose user wants styled output (https://no-color.org). */
function isStyled(): boolean {
  return process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb'
}

function bold(text: string): string {
  return `\u001b[1m${text}\u001b[22m`
}
