import { describe, expect, it } from 'vitest'
import { openTokenizer } from '../../../../adapters/device/index.js'
import { BOUNDARY } from '../../../../src/documents/chunking/boundaries.js'
import { Chunker } from '../../../../src/documents/chunking/chunker.js'
import { rateCodeBoundary } from '../../../../src/documents/chunking/code-boundaries.js'
import { chunkText } from '../../../../src/index.js'
import { bundledModel } from '../../../bundled-model.js'

const tokenizer = await openTokenizer(bundledModel)

interface Cut {
  readonly text: string
  readonly start: number
}

function cut(text: string, chunkSizeTokens: number, overlap = 0): Cut[] {
  const chunker = new Chunker(tokenizer, { chunkSizeTokens, overlap, windowTokens: 254, isCode: true })
  return [...chunker.push(text), ...chunker.end()]
}

const functionOf = (number: number, lines: number): string =>
  [
    `// Sums the rows of table ${number}. Blank rows count as zero.`,
    `export function sum${number}(rows) {`,
    '  let total = 0',
    ...Array.from({ length: lines }, (_, line) => `  total += rows[${line}].value * factor_${number}(rows, ${line})`),
    '',
    '  return total',
    '}',
    '',
    '',
  ].join('\n')

describe('chunks of source code', () => {
  it('end in front of a definition and the comment above it, if one is near', () => {
    const text = Array.from({ length: 12 }, (_, number) => functionOf(number, 3)).join('')
    const chunks = cut(text, 230)
    expect(chunks.length).toBeGreaterThan(3)
    for (const chunk of chunks) expect(chunk.text.startsWith('// Sums the rows of table')).toBe(true)
  })

  it('never begin or end inside a line that fits, with or without overlap', () => {
    const text = Array.from({ length: 6 }, (_, number) => functionOf(number, 60)).join('')
    for (const overlap of [0, 0.2]) {
      const chunks = cut(text, 200, overlap)
      expect(chunks.length).toBeGreaterThan(10)
      for (const { start, text: content } of chunks) {
        expect(text.slice(0, start)).toMatch(/(?:^|\n)[ \t]*$/)
        expect(text.slice(start + content.length)).toMatch(/^\s*(?:\n|$)/)
      }
    }
  })

  it('are cut inside a line that is longer than a chunk', () => {
    const line = Array.from({ length: 900 }, (_, at) => `v${at}`).join('+')
    const chunks = cut(`const x = ${line}\n`, 100)
    expect(chunks.length).toBeGreaterThan(5)
    expect(chunks.map(({ text }) => text).join('')).toContain('v899')
  })

  it('of a comment sign in Python do not begin at each comment, as a heading would', () => {
    const text = Array.from({ length: 80 }, (_, at) => `# step ${at}\nrun(step_${at}, retries=${at})\n`).join('')
    const [first] = cut(text, 100)
    expect(tokenizer.count(first?.text ?? '')).toBeGreaterThan(85)
  })

  it('are cut as prose without the option, and the function for hosts has it too', () => {
    const text = functionOf(1, 40)
    const prose = [...chunkText(text, { tokenizer, chunkSizeTokens: 100, overlap: 0 })]
    const code = [...chunkText(text, { tokenizer, chunkSizeTokens: 100, overlap: 0, isCode: true })]
    const plain = new Chunker(tokenizer, { chunkSizeTokens: 100, overlap: 0, windowTokens: 100 })
    expect(prose).toEqual([...plain.push(text), ...plain.end()])
    expect(code.map(({ start }) => start)).not.toEqual(prose.map(({ start }) => start))
  })
})

describe('a boundary in source code', () => {
  it.each([
    ['foo|(bar', BOUNDARY.inside],
    ['foo| bar', BOUNDARY.word],
    ['// Done.| Next', BOUNDARY.word],
    ['a = 1|\nb = 2', BOUNDARY.line],
    ['a = 1|\n# b', BOUNDARY.line],
    ['x|\n}', BOUNDARY.line],
    ['x|\n\n}', BOUNDARY.line],
    ['x|\n\n  y()', BOUNDARY.paragraph],
    ['x|\n\ny()', BOUNDARY.heading],
    ['x|\r\n\r\ny()', BOUNDARY.heading],
    ['}|\n\n  def total(self):', BOUNDARY.heading],
    ['}|\nfunc Total() int {', BOUNDARY.paragraph],
    ['}|\n  public int total() {', BOUNDARY.paragraph],
    ['// Sums.|\nfunction total() {', BOUNDARY.line],
    ['@cached|\ndef total():', BOUNDARY.line],
    ['#include <a.h>|\nstruct point {', BOUNDARY.paragraph],
    [');|\nCREATE OR REPLACE VIEW v AS', BOUNDARY.paragraph],
    ['x|\n  function_name(1)', BOUNDARY.line],
    ['x|\nrecord = 1', BOUNDARY.line],
  ])('is rated: %j', (marked, rate) => {
    const end = marked.indexOf('|')
    const text = marked.replace('|', '')
    const start = end + (text.slice(end).length - text.slice(end).trimStart().length)
    expect(rateCodeBoundary(text, end, start)).toBe(rate)
  })
})
