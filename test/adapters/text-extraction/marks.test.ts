import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutPiece, headingText, MarkedText, MarkLimit } from '../../../adapters/text-extraction/readers/marks.js'
import type { ReaderPiece } from '../../../adapters/text-extraction/readers/reader-piece.js'
import type { StructureMark } from '../../../src/ports/index.js'

/** The text of all pieces, and their marks with offsets in that text. */
function joined(pieces: Iterable<ReaderPiece>): { text: string; marks: StructureMark[] } {
  let text = ''
  const marks: StructureMark[] = []
  for (const piece of pieces) {
    for (const mark of piece.marks ?? []) marks.push({ ...mark, at: mark.at + text.length })
    text += piece.text
  }
  return { text, marks }
}

const markedPiece = fc
  .record({ text: fc.string({ unit: 'grapheme', maxLength: 60 }), places: fc.array(fc.nat(), { maxLength: 40 }) })
  .map(({ text, places }) => ({
    text,
    marks: places
      .map((place) => place % (text.length + 1))
      .sort((one, other) => one - other)
      .map((at, index) => ({ at, page: index + 1 })),
  }))

describe('a piece with marks', () => {
  it('has the same text and marks after a cut, in pieces of limited size', () => {
    fc.assert(
      fc.property(markedPiece, fc.integer({ min: 2, max: 20 }), (piece, max) => {
        const pieces = [...cutPiece({ ...piece, pages: 3 }, max)]
        expect(joined(pieces)).toEqual(piece)
        expect(pieces.filter(({ pages }) => pages === 3)).toEqual(pieces.slice(-1))
        for (const { text, marks = [] } of pieces) {
          expect(text.length).toBeLessThanOrEqual(max)
          expect(text.isWellFormed()).toBe(true)
          expect(marks.every(({ at }) => at <= text.length)).toBe(true)
        }
      }),
    )
  })

  it('is cut if it has more marks than one message may have', () => {
    const marks = Array.from({ length: 5_000 }, (_, index) => ({ at: index >> 1, heading: 'a', level: 1 }))
    const pieces = [...cutPiece({ text: 'x'.repeat(2_500), marks }, 100_000)]
    expect(Math.max(...pieces.map((piece) => piece.marks?.length ?? 0))).toBe(1_024)
    expect(joined(pieces)).toEqual({ text: 'x'.repeat(2_500), marks })
  })
})

describe('the text of a reader', () => {
  it('is yielded with the marks at the places where they were made', () => {
    const marked = new MarkedText()
    marked.markPage(1)
    marked.add('Intro\n')
    marked.markHeading('  Two\n lines ', 2)
    marked.add('Two\n lines\n')
    expect([...marked.take(1_000)]).toEqual([
      {
        text: 'Intro\nTwo\n lines\n',
        marks: [
          { at: 0, page: 1 },
          { at: 6, heading: 'Two lines', level: 2 },
        ],
      },
    ])
    expect([...marked.take(1_000)]).toEqual([])
  })
})

describe('a heading', () => {
  it('is one line of at most 200 characters', () => {
    expect(headingText(' A\r\n\tlong\0 one ')).toBe('A long� one')
    const long = headingText('👍'.repeat(10_000_000))
    expect(long.length).toBeLessThanOrEqual(200)
    expect(long.isWellFormed()).toBe(true)
    expect(long.endsWith('👍…')).toBe(true)
    expect(headingText('\n \t')).toBe('')
  })
})

describe('the limit of marks', () => {
  it('leaves out pages that do not ascend, and headings without text', () => {
    const marks: StructureMark[] = [
      { at: 0, page: 2 },
      { at: 0, page: 1 },
      { at: 1, heading: ' \n', level: 1 },
      { at: 9, heading: 'x'.repeat(1_000), level: 40 },
    ]
    const { marks: kept = [] } = new MarkLimit().limit({ text: 'abc', marks })
    expect(kept).toEqual([
      { at: 0, page: 2 },
      { at: 3, heading: `${'x'.repeat(199)}…`, level: 9 },
    ])
  })

  it('holds against a million sections at one place, whatever the pieces are', () => {
    const limit = new MarkLimit()
    const count = (length: number): number =>
      limit.limit({
        text: 'x'.repeat(length),
        marks: Array.from({ length: 1_000_000 }, () => ({ at: 0, heading: 'a', level: 1 })),
      }).marks?.length ?? 0
    expect(count(4_000)).toBe(1_000)
    expect(count(0)).toBe(1_000)
    expect(count(0)).toBe(0)
  })
})
