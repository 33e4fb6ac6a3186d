import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_SNIPPET, snippetOf } from '../../../src/search/snippet.js'

const rangeOf = (content: string, part: string) => {
  const start = content.indexOf(part)
  return { start, end: start + part.length }
}

describe('a snippet', () => {
  it('is the match in one line', () => {
    const content = 'One.\n\nTwo is\n  there. Three.'
    const match = rangeOf(content, 'Two is\n  there.')
    expect(snippetOf({ content, match, core: match, headings: [] })).toBe('Two is there.')
  })

  it('is cut around the best words of a long match, at words', () => {
    const content = `${'before '.repeat(100)}the gasket of the pump ${'behind '.repeat(100)}`.trim()
    const match = { start: 0, end: content.length }
    const snippet = snippetOf({ content, match, core: rangeOf(content, 'gasket of the pump'), headings: [] })
    expect(snippet).toMatch(/^… before before .*the gasket of the pump behind .* behind…$/)
    expect(snippet.length).toBeLessThanOrEqual(MAX_SNIPPET)
  })

  it('of a table has the names of its columns, above the match or above the chunk', () => {
    const rows = '| VX-1 | 20 |\n| VX-2 | 30 |'
    const table = `| part | torque |\n| --- | --- |\n${rows}`
    const match = rangeOf(table, '| VX-2 | 30 |')
    expect(snippetOf({ content: table, match, core: match, headings: [] })).toBe('| part | torque | … | VX-2 | 30 |')
    const within = rangeOf(rows, '| VX-2 | 30 |')
    const headings = ['Service', 'part | torque']
    expect(snippetOf({ content: rows, match: within, core: within, headings })).toBe('part | torque … | VX-2 | 30 |')
    expect(snippetOf({ content: rows, match: within, core: within, headings: ['Service'] })).toBe('| VX-2 | 30 |')
  })

  it('of a row below a long line of signs is made at once', () => {
    const row = '| VX-1 | 20 |'
    const content = `${' '.repeat(2_000)}|${'-'.repeat(2_000)}x\n${row}`
    const match = rangeOf(content, row)
    const start = performance.now()
    expect(snippetOf({ content, match, core: match, headings: [] })).toBe(row)
    // It took nine seconds when the time grew with the cube of the length.
    expect(performance.now() - start).toBeLessThan(2_000)
  })

  it('has at most 320 units, no line break and no half of a character, for any text', () => {
    const word = fc.constantFrom('pump', '\n', '🚀', '错误', '| a |', '| --- |', 'x'.repeat(400), ' ', '🚀'.repeat(200))
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 80 }), fc.nat(), fc.nat(), (words, one, other) => {
        const content = words.join(' ')
        const core = { start: one % content.length, end: content.length }
        const match = { start: Math.min(core.start, other % content.length), end: content.length }
        const snippet = snippetOf({ content, match, core, headings: ['a | b'.repeat(60)] })
        expect(snippet.length).toBeLessThanOrEqual(MAX_SNIPPET)
        expect(snippet.isWellFormed()).toBe(true)
        expect(snippet).not.toMatch(/[\r\n]/)
      }),
    )
  })
})
