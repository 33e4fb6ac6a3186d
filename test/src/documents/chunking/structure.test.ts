import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunkStream, emptySummary, type PlacedChunk } from '../../../../src/documents/pipeline/chunks.js'
import type { ExtractedPiece, HeadingMark, PageMark, StructureMark, Tokenizer } from '../../../../src/ports/index.js'
import { sized } from '../../../full-form.js'

/** One token for each word between white space. */
const tokenizer: Tokenizer = {
  specialTokens: 0,
  count: (text: string) => text.match(/\S+/g)?.length ?? 0,
  split: (text: string) => {
    const words = [...text.matchAll(/\S+/g)]
    return {
      count: words.length,
      starts: Uint32Array.from(words, ({ index }) => index),
      ends: Uint32Array.from(words, ({ 0: word, index }) => index + word.length),
      tokens: Uint16Array.from(words, () => 1),
    }
  },
} as unknown as Tokenizer

async function chunksOf(
  pieces: readonly ExtractedPiece[],
  chunkSizeTokens: number,
  overlap = 0.2,
): Promise<PlacedChunk[]> {
  async function* source(): AsyncGenerator<ExtractedPiece> {
    yield* pieces
  }
  const chunks: PlacedChunk[] = []
  const options = { chunkSizeTokens, overlap, windowTokens: 1_000 }
  for await (const chunk of chunkStream(source(), tokenizer, options, emptySummary())) chunks.push(chunk)
  return chunks
}

const page = (at: number, number: number): PageMark => ({ at, page: number })
const heading = (at: number, text: string, level: number): HeadingMark => ({ at, heading: text, level })

const PARTS = fc.array(
  fc.oneof(
    fc.constantFrom(
      { text: 'word ' },
      { text: 'some words of a text. ' },
      { text: '\n\n' },
      { text: '   ' },
      { text: '\f' },
    ),
    fc.constant({ page: true }),
    fc.integer({ min: 1, max: 9 }).map((level) => ({ level })),
    fc.constant({ cut: true }),
  ),
  { maxLength: 150 },
)

/** Pieces with marks, made of random parts. */
function piecesOf(parts: readonly object[]): ExtractedPiece[] {
  const pieces: { text: string; marks: StructureMark[] }[] = [{ text: '', marks: [] }]
  let pages = 0
  parts.forEach((part, index) => {
    const piece = pieces.at(-1) ?? { text: '', marks: [] }
    if ('text' in part) piece.text += String(part.text)
    else if ('page' in part) piece.marks.push(page(piece.text.length, (pages += 1)))
    else if ('level' in part) {
      piece.marks.push(heading(piece.text.length, `h${index}`, Number(part.level)))
      piece.text += `h${index}\n`
    } else pieces.push({ text: '', marks: [] })
  })
  return pieces
}

describe('the place of a chunk', () => {
  it('has the pages that its text touches, and the headings above its beginning, for any pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        PARTS,
        fc.integer({ min: 16, max: 60 }),
        fc.constantFrom(0, 0.2, 0.9),
        async (parts, size, overlap) => {
          const pieces = piecesOf(parts)
          const text = pieces.map((piece) => piece.text).join('')
          let offset = 0
          const marks = pieces.flatMap((piece) => {
            const placed = (piece.marks ?? []).map((mark) => ({ ...mark, at: mark.at + offset }))
            offset += piece.text.length
            return placed
          })
          for (const chunk of await chunksOf(pieces, size, overlap)) {
            const end = chunk.start + chunk.text.length
            expect(text.slice(chunk.start, end)).toBe(chunk.text)
            const pages = marks.filter((mark) => 'page' in mark)
            const begun = pages.filter(({ at }) => at <= chunk.start).at(-1)
            const touched = pages.filter((mark) => mark === begun || (mark.at > chunk.start && mark.at < end))
            expect([chunk.pageFirst, chunk.pageLast]).toEqual([touched[0]?.page ?? null, touched.at(-1)?.page ?? null])
            let path: HeadingMark[] = []
            for (const mark of marks) {
              if (!('heading' in mark) || mark.at > chunk.start) continue
              path = [...path.filter(({ level }) => level < mark.level), mark]
            }
            const above = path.map((mark) => mark.heading)
            // Headings at the front of the chunk may follow.
            const shown = chunk.headings.slice(0, above.length)
            if (chunk.headings.length <= 6 && above.length <= 6)
              expect(shown).toEqual(above.slice(-6).slice(0, shown.length))
            expect(chunk.headings.length).toBeLessThanOrEqual(6)
            for (const title of chunk.headings.slice(above.length)) expect(chunk.text.split(/\s+/)).toContain(title)
          }
        },
      ),
      { numRuns: sized(150, 500) },
    )
  })

  it('includes the headings at its front, each below the one before', async () => {
    const text = '# Guide\n\n## Setup\n\nSome text of the setup.\n\n### Deeper\n\nmore'
    const marks = [heading(0, 'Guide', 1), heading(9, 'Setup', 2), heading(text.indexOf('###'), 'Deeper', 3)]
    expect((await chunksOf([{ text, marks }], 100))[0]?.headings).toEqual(['Guide', 'Setup'])
    const underlined = 'Guide\n=====\nSetup\n-----\ntext'
    expect(
      (await chunksOf([{ text: underlined, marks: [heading(0, 'Guide', 1), heading(12, 'Setup', 2)] }], 100))[0]
        ?.headings,
    ).toEqual(['Guide', 'Setup'])
  })

  it('does not include a heading that follows text, or one beside the first', async () => {
    const headingsOf = async (text: string, marks: StructureMark[]): Promise<readonly string[] | undefined> =>
      (await chunksOf([{ text, marks }], 100))[0]?.headings
    expect(await headingsOf('A\nB\ntext', [heading(0, 'A', 2), heading(2, 'B', 2)])).toEqual(['A'])
    expect(await headingsOf('A\ntext\nB', [heading(0, 'A', 1), heading(7, 'B', 2)])).toEqual(['A'])
    expect(await headingsOf('text\nB', [heading(5, 'B', 2)])).toEqual([])
  })

  it('has no headings of a section that has ended', async () => {
    const text = `A\n${'one row\n'.repeat(30)}${'word after it\n'.repeat(30)}`
    const end = text.indexOf('word')
    const marks = [heading(0, 'A', 1), heading(2, 'columns', 9), heading(end, '', 9)]
    const [, ...chunks] = await chunksOf([{ text, marks }], 20)
    expect(chunks.some(({ start }) => start < end) && chunks.some(({ start }) => start >= end)).toBe(true)
    for (const { start, headings } of chunks) expect(headings).toEqual(start < end ? ['A', 'columns'] : ['A'])
  })

  it('keeps the nearest headings if a path is long', async () => {
    const marks = Array.from({ length: 9 }, (_, index) => heading(0, `${index + 1} `.repeat(100).trim(), index + 1))
    const [first] = await chunksOf([{ text: 'text', marks }], 100)
    expect(first?.headings).toHaveLength(3)
    const short = Array.from({ length: 9 }, (_, index) => heading(0, `h${index + 1}`, index + 1))
    expect((await chunksOf([{ text: 'text', marks: short }], 100))[0]?.headings).toEqual([
      'h4',
      'h5',
      'h6',
      'h7',
      'h8',
      'h9',
    ])
  })

  it('is unknown without marks, and counts a page that begins with a later piece', async () => {
    expect(await chunksOf([{ text: 'text' }], 100)).toMatchObject([{ pageFirst: null, pageLast: null, headings: [] }])
    const pieces = [
      { text: 'one ', marks: [page(0, 1), page(4, 2)] },
      { text: 'two', marks: [page(0, 3)] },
    ]
    expect(await chunksOf(pieces, 100)).toMatchObject([{ pageFirst: 1, pageLast: 3 }])
  })

  it('have the title of the file above all others, and once if a heading repeats it', async () => {
    const text = 'Intro line\nLeave\none two three\nOther\nfour five six'
    const marks = [heading(0, 'leave', 0), heading(11, 'Leave', 1), heading(31, 'Other', 1)]
    const chunks = await chunksOf([{ text, marks }], 4, 0)
    expect(chunks.map(({ headings }) => headings)).toEqual([['leave'], ['leave'], ['leave', 'Other']])
  })
})
