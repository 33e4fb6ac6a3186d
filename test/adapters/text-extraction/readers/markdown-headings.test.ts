import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MarkdownHeadings } from '../../../../adapters/text-extraction/readers/markdown-headings.js'
import type { HeadingMark } from '../../../../src/ports/index.js'
import { sized } from '../../../full-form.js'

/** Reads a text in pieces of a size. @returns the whole text, and its headings with offsets in it */
function read(text: string, pieceSize = 1_000_000): { text: string; marks: HeadingMark[] } {
  const headings = new MarkdownHeadings()
  let whole = ''
  const marks: HeadingMark[] = []
  const add = (piece: ReturnType<MarkdownHeadings['push']>): void => {
    for (const mark of piece.marks ?? []) marks.push({ ...(mark as HeadingMark), at: mark.at + whole.length })
    whole += piece.text
  }
  for (let at = 0; at < text.length; at += pieceSize) add(headings.push(text.slice(at, at + pieceSize)))
  add(headings.end())
  return { text: whole, marks }
}

function headingsOf(text: string): string[] {
  return read(text).marks.map(({ level, heading }) => `${level} ${heading}`)
}

describe('the headings of Markdown', () => {
  it('are lines with number signs, and underlined paragraphs', () => {
    const text =
      '# One\n\n## Two ##\r\n   ###### Six\rTitle\n=====\n\nOther\ntitle\n---\n####### seven\n#hashtag\n    # code\n'
    expect(headingsOf(text)).toEqual(['1 One', '2 Two', '6 Six', '1 Title', '2 Other title'])
  })

  it('begin at their number sign, or at their paragraph', () => {
    const text = 'text\n\n  # One\n\nTitle\n====\n'
    expect(read(text).marks.map(({ at }) => text.slice(at, at + 5))).toEqual(['# One', 'Title'])
  })

  it('have no signs of Markdown', () => {
    expect(
      headingsOf('# The **bold** `code` [link](https://a.example) ![image](x.png) \\# snake_case_name _it_ {#id}\n'),
    ).toEqual(['1 The bold code link image # snake_case_name it'])
  })

  it('are not the lines of code, comments, raw HTML and front matter', () => {
    const fence = '```sh\n# comment\n```\n'
    expect(
      headingsOf(`---\n# yaml comment\ntitle: x\n---\n# Real\n${fence}~~~~\n# a\n~~~\n# b\n~~~~\n# After\n`),
    ).toEqual(['0 x', '1 Real', '1 After'])
    expect(headingsOf('- item\n  ```\n  # no\n  ```\n\n# Yes\n')).toEqual(['1 Yes'])
    expect(headingsOf('- item\n\n  ```\n  # never closed\n\n# Yes\n')).toEqual(['1 Yes'])
    expect(headingsOf('<!-- a\n# no\n-->\n# Yes\n<pre>\n# no\n</pre>\n')).toEqual(['1 Yes'])
  })

  it('are not items, quotes, tables and sections between rules', () => {
    expect(headingsOf('- a\n---\n\n> quote\n---\n\n| a |\n|---|\n\nlast\n\n---\n\n1. one\n---\n')).toEqual([])
    expect(headingsOf('- a\n---\nTitle\n---\n')).toEqual(['2 Title'])
    expect(headingsOf(`${'a long paragraph of text '.repeat(30)}\n---\n`)).toEqual([])
  })

  it("have the names of a table's columns below them, from its first row to its end", () => {
    const rows = '| one | 1 |\n| two | 2 |\n'
    const table = `| **name** | number |\n|:---|---:|\n${rows}`
    const text = `# Table\n\n${table}\nText | with a sign.\n\na | b\n--- | ---\n1 | 2\n# Next\n`
    const { marks } = read(text)
    expect(marks).toEqual([
      { at: 0, heading: 'Table', level: 1 },
      { at: text.indexOf('| one'), heading: 'name | number', level: 9 },
      { at: text.indexOf('\nText'), heading: '', level: 9 },
      { at: text.indexOf('1 | 2'), heading: 'a | b', level: 9 },
      { at: text.indexOf('# Next'), heading: '', level: 9 },
      { at: text.indexOf('# Next'), heading: 'Next', level: 1 },
    ])
    for (const size of [1, 2, 7]) expect(read(text, size).marks).toEqual(marks)
    expect(headingsOf(`\`\`\`\n${table}\`\`\`\n`)).toEqual([])
  })

  it('are the same in any pieces, and the text stays unchanged', () => {
    const part = fc.constantFrom(
      '#',
      '# ',
      '## a',
      '=',
      '===',
      '---',
      '\n',
      '\r',
      '\r\n',
      ' ',
      '    ',
      '```',
      '~~~',
      '> ',
      '- ',
      'word',
      '<!--',
      '-->',
      '\t',
      '👍',
      '| a |',
      '|---|',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), fc.integer({ min: 1, max: 9 }), (parts, size) => {
        const text = parts.join('')
        const whole = read(text)
        expect(whole.text).toBe(text)
        expect(read(text, size)).toEqual(whole)
        for (const { at, heading } of whole.marks) if (heading !== '') expect(text.slice(at, at + 1)).toMatch(/\S/)
      }),
      { numRuns: sized(300, 1_000) },
    )
  })

  it('cost no memory and little time in a file of one line', () => {
    const headings = new MarkdownHeadings()
    let characters = 0
    const line = `# ${'x '.repeat(32_768)}`
    for (let piece = 0; piece < 100; piece += 1) {
      const { text, marks } = headings.push(line)
      expect(marks).toBeUndefined()
      characters += text.length
    }
    expect(characters).toBe(line.length * 100)
    expect(headings.push('\n# Heading\n').marks).toMatchObject([{ heading: 'Heading' }])
  })

  it('are found in hostile lines within a short time', () => {
    const hostile = [
      '# ' + ' '.repeat(4_000) + 'x',
      '['.repeat(4_000),
      '# ' + '[('.repeat(2_000),
      '*'.repeat(4_000),
      '# ' + '*a'.repeat(2_000),
      ' '.repeat(4_000) + '```x',
      '<'.repeat(4_000),
    ]
    const startedAt = performance.now()
    for (const line of hostile) read(`${line}\n`.repeat(10))
    expect(performance.now() - startedAt).toBeLessThan(3_000)
  })
})
