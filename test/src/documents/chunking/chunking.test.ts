import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openTokenizer } from '../../../../adapters/device/index.js'
import { BOUNDARY, rateBoundary } from '../../../../src/documents/chunking/boundaries.js'
import { type Chunk, Chunker, type ChunkerOptions } from '../../../../src/documents/chunking/chunker.js'
import { chunkStream, emptySummary } from '../../../../src/documents/pipeline/chunks.js'
import { bundledModel } from '../../../bundled-model.js'
import { sized } from '../../../full-form.js'
import { LoopStops } from '../../../ingestion/loop-stops.js'

const tokenizer = await openTokenizer(bundledModel)

const PARTS = fc.constantFrom(
  ...[
    'word',
    'Sentence. ',
    'A question? ',
    '\n',
    '\n\n',
    '\n## Heading\n',
    ' ',
    '  ',
    ', ',
    '中文字符。',
    '한국어 ',
    'naïve ',
  ],
  ...[
    '👍',
    '👩‍👩‍👧‍👦',
    '\u200b',
    '\f',
    'x'.repeat(250),
    'antidisestablishmentarianism',
    '[SEP]',
    '\r\n',
    '\u0301',
    '-',
    '"Quoted." ',
    '0x1f',
  ],
  ...['\0'.repeat(700), '\u200b'.repeat(300), '\ufffd ', '\ufeff', ' '.repeat(1_500), '\n'.repeat(40), '*'.repeat(50)],
)
const TEXTS = fc.array(PARTS, { maxLength: 300 }).map((parts) => parts.join(''))
const OPTIONS = fc.record({
  chunkSizeTokens: fc.integer({ min: 16, max: 200 }),
  overlap: fc.constantFrom(0, 0.1, 0.2, 0.5, 0.9, 0.99),
  windowTokens: fc.integer({ min: 8, max: 64 }),
})

/** Text eight times as long takes eight times as long; it was 64 times when the time was quadratic. */
const MOST_TIMES_AS_LONG = 24
const isQuick = (run: { readonly longestWorkMs: number; readonly timesAsLong: number }): boolean =>
  run.longestWorkMs < 50 && run.timesAsLong < MOST_TIMES_AS_LONG

describe('chunks', () => {
  it('cover every character that is not white space, in order', () => {
    property((text, chunkerOptions) => {
      let covered = 0
      for (const { start, text: content } of chunksOf([text], chunkerOptions)) {
        expect(text.slice(start, start + content.length)).toBe(content)
        expect(text.slice(covered, Math.max(covered, start)).trim()).toBe('')
        expect(start + content.length).toBeGreaterThan(covered)
        covered = start + content.length
      }
      expect(text.slice(covered).trim()).toBe('')
    })
  })

  it('never have more tokens than the limit, by a second count', () => {
    property((text, chunkerOptions) => {
      for (const { text: content } of chunksOf([text], chunkerOptions)) {
        expect(tokenizer.count(content)).toBeLessThanOrEqual(chunkerOptions.chunkSizeTokens)
      }
    })
  })

  it('do not depend on the pieces in which the text arrived', () => {
    fc.assert(
      fc.property(
        TEXTS,
        OPTIONS,
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }),
        (text, chosen, sizes) => {
          expect(chunksOf(pieces(text, sizes), chosen)).toEqual(chunksOf([text], chosen))
        },
      ),
      { numRuns: sized(80, 300) },
    )
  })

  it('repeat at most the overlap, and nothing when it is 0', () => {
    property((text, chunkerOptions) => {
      const chunks = chunksOf([text], chunkerOptions)
      chunks.slice(1).forEach((chunk, index) => {
        const before = chunks[index]
        const repeated = text.slice(chunk.start, (before?.start ?? 0) + (before?.text.length ?? 0))
        const most = Math.floor(chunkerOptions.chunkSizeTokens * chunkerOptions.overlap)
        expect(tokenizer.count(repeated)).toBeLessThanOrEqual(most)
      })
    })
  })

  it('begin and end between code points', () => {
    property((text, chunkerOptions) => {
      for (const { text: content, windows } of chunksOf([text], chunkerOptions)) {
        expect(content.isWellFormed()).toBe(true)
        for (const { start, end } of windows) expect(content.slice(start, end).isWellFormed()).toBe(true)
      }
    })
  })

  it('never have more than 64 characters for each allowed token, and neither do their windows', () => {
    property((text, chunkerOptions) => {
      for (const { text: content, windows } of chunksOf([text], chunkerOptions)) {
        expect(content.length).toBeLessThanOrEqual(chunkerOptions.chunkSizeTokens * 64)
        for (const { start, end } of windows) expect(end - start).toBeLessThanOrEqual(chunkerOptions.windowTokens * 64)
      }
    })
  })

  const SIZE = 1_000_000
  it.each([
    ['U+0000', '\0', 40],
    ['U+FFFD', '\ufffd', 40],
    ['zero-width spaces', '\u200b', 40],
    ['characters without tokens between spaces', '\0 ', 40],
    ['combining marks', '\u0301', 40],
    ['spaces', ' ', 2],
    ['blank lines', '\r\n', 2],
    ['words far apart', `word${' '.repeat(3_000)}`, 40],
    ['asterisks', '*', 2_000],
  ])('of a megabyte of %s are few and short, and leave the event loop free', async (_what, unit, most) => {
    const textOf = (size: number): string => `first ${unit.repeat(size / unit.length)} last`
    const chunked = async (text: string): Promise<{ chunks: Chunk[]; longestWorkMs: number; workMs: number }> => {
      async function* piece() {
        yield { text }
      }
      const stops = new LoopStops()
      const began = process.cpuUsage()
      const chunks: Chunk[] = []
      const plain: ChunkerOptions = { chunkSizeTokens: 1_000, overlap: 0.2, windowTokens: 254 }
      for await (const chunk of chunkStream(piece(), tokenizer, plain, emptySummary())) chunks.push(chunk)
      stops.end()
      const { user, system } = process.cpuUsage(began)
      return { chunks, longestWorkMs: stops.longestWorkAtFullSpeedMs, workMs: (user + system) / 1_000 }
    }
    const measured = async (): Promise<{ chunks: Chunk[]; longestWorkMs: number; timesAsLong: number }> => {
      const eighth = await chunked(textOf(SIZE / 8))
      const { chunks, longestWorkMs, workMs } = await chunked(textOf(SIZE))
      return { chunks, longestWorkMs, timesAsLong: workMs / eighth.workMs }
    }
    const { chunks, ...first } = await measured()
    expect(chunks.length).toBeLessThanOrEqual(most)
    expect(Math.max(...chunks.map(({ text: content }) => content.length))).toBeLessThanOrEqual(64_000)
    expect(chunks[0]?.text.startsWith('first')).toBe(true)
    expect(chunks.at(-1)?.text.endsWith('last')).toBe(true)
    // Another process may delay this one; a stop that the code itself causes appears every time.
    const runs = [first]
    for (let run = 0; run < 4 && !runs.some(isQuick); run += 1) {
      const { chunks: _, ...again } = await measured()
      runs.push(again)
    }
    expect(runs.some(isQuick), JSON.stringify(runs)).toBe(true)
  })

  it('repeat almost the whole overlap in plain text, and begin at sentences', () => {
    const text = Array.from({ length: 400 }, (_, number) => `This is sentence number ${number} of the text. `).join('')
    const chunks = chunksOf([text], { chunkSizeTokens: 200, overlap: 0.2, windowTokens: 254 })
    expect(chunks.length).toBeGreaterThan(10)
    chunks.slice(1).forEach((chunk, index) => {
      const before = chunks[index]
      const repeated = tokenizer.count(text.slice(chunk.start, (before?.start ?? 0) + (before?.text.length ?? 0)))
      expect(repeated).toBeGreaterThanOrEqual(30)
      expect(repeated).toBeLessThanOrEqual(40)
      expect(chunk.text).toMatch(/^This is sentence/)
      expect(chunk.text).toMatch(/text\.$/)
    })
  })

  it('of a list of links never begin within an address', () => {
    const entry = (number: number): string =>
      `* [Entry ${number}](https://example.org/a-folder/of-many/pages/with_long_names/${number}/index.html#part-${number})\n`
    const text = Array.from({ length: 200 }, (_, number) => entry(number)).join('')
    const chunks = chunksOf([text], { chunkSizeTokens: 1_000, overlap: 0.2, windowTokens: 254 })
    expect(chunks.length).toBeGreaterThan(5)
    for (const { start } of chunks) expect(text.slice(0, start)).toMatch(/\s$|^$/)
    chunks.slice(1).forEach((chunk, index) => {
      const before = chunks[index]
      const repeated = tokenizer.count(text.slice(chunk.start, (before?.start ?? 0) + (before?.text.length ?? 0)))
      expect(repeated).toBeGreaterThanOrEqual(140)
    })
  })

  it('end before a heading that comes near their size limit', () => {
    const section = (title: string): string =>
      `## ${title}\n\n${'Some words of a section that goes on. '.repeat(9)}\n\n`
    const text = ['One', 'Two', 'Three', 'Four'].map(section).join('')
    const chunks = chunksOf([text], { chunkSizeTokens: 110, overlap: 0, windowTokens: 254 })
    expect(chunks.map(({ text: content }) => content.split('\n')[0])).toEqual([
      '## One',
      '## Two',
      '## Three',
      '## Four',
    ])
  })

  it('do not exist for a text without words', () => {
    for (const text of ['', ' ', '\n\n\t ', '\ufeff']) {
      const chunks = chunksOf([text], { chunkSizeTokens: 16, overlap: 0, windowTokens: 8 })
      expect(chunks.reduce((tokens, chunk) => tokens + chunk.tokens, 0)).toBe(0)
    }
  })

  it('count the tokens of a text once', () => {
    const chunker = new Chunker(tokenizer, { chunkSizeTokens: 20, overlap: 0.5, windowTokens: 8 })
    const text = 'one two three four five six seven eight nine ten '.repeat(10)
    const chunks = [...chunker.push(text), ...chunker.end()]
    expect(chunker.tokens).toBe(100)
    expect(chunks.reduce((tokens, chunk) => tokens + chunk.tokens, 0)).toBeGreaterThan(100)
  })
})

describe('windows', () => {
  it('contain every token of a chunk, in order, within the limit', () => {
    property((text, chunkerOptions) => {
      for (const { text: content, windows } of chunksOf([text], chunkerOptions)) {
        let covered = 0
        for (const { start, end, tokens } of windows) {
          expect(content.slice(covered, Math.max(covered, start)).trim()).toBe('')
          expect(end).toBeGreaterThan(covered)
          expect(tokenizer.count(content.slice(start, end))).toBeLessThanOrEqual(chunkerOptions.windowTokens)
          expect(tokens).toBeLessThanOrEqual(chunkerOptions.windowTokens)
          covered = end
        }
        expect(covered).toBe(content.length)
      }
    })
  })

  it('of a long chunk have about the same size and share about a quarter', () => {
    const text = 'one two three four five six seven eight nine ten '.repeat(100)
    const [chunk] = chunksOf([text], { chunkSizeTokens: 1_000, overlap: 0, windowTokens: 254 })
    const sizes = chunk?.windows.map(({ tokens }) => tokens) ?? []
    expect(sizes.length).toBe(5)
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(235)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThanOrEqual(1_000 + 4 * 55)
  })
})

describe('a boundary', () => {
  it.each([
    ['one|two', BOUNDARY.inside],
    ['one| two', BOUNDARY.word],
    ['中|文', BOUNDARY.word],
    ['one|\ntwo', BOUNDARY.line],
    ['one|\r\ntwo', BOUNDARY.line],
    ['one.| Two', BOUNDARY.sentence],
    ['one."| Two', BOUNDARY.sentence],
    ['e.g.| this', BOUNDARY.word],
    ['終わり。|次', BOUNDARY.sentence],
    ['3.|14', BOUNDARY.inside],
    ['one|\n\ntwo', BOUNDARY.paragraph],
    ['one|\r\n\r\ntwo', BOUNDARY.paragraph],
    ['one|\n# Two', BOUNDARY.heading],
    ['one|\ftwo', BOUNDARY.heading],
  ])('is rated: %j', (marked, rate) => {
    const end = marked.indexOf('|')
    const text = marked.replace('|', '')
    const start = end + (text.slice(end).length - text.slice(end).trimStart().length)
    expect(rateBoundary(text, end, start)).toBe(rate)
  })
})

function property(check: (text: string, chunkerOptions: ChunkerOptions) => void): void {
  fc.assert(fc.property(TEXTS, OPTIONS, check), { numRuns: sized(80, 300) })
}

function chunksOf(texts: Iterable<string>, chunkerOptions: ChunkerOptions): Chunk[] {
  const chunker = new Chunker(tokenizer, chunkerOptions)
  const chunks: Chunk[] = []
  for (const text of texts) chunks.push(...chunker.push(text))
  return [...chunks, ...chunker.end()]
}

/** Pieces of these sizes in turn, never cut between the halves of a surrogate pair. */
function* pieces(text: string, sizes: readonly number[]): Generator<string> {
  for (let at = 0, turn = 0; at < text.length; turn += 1) {
    let end = Math.min(text.length, at + (sizes[turn % sizes.length] ?? 1))
    const last = text.charCodeAt(end - 1)
    if (last >= 0xd800 && last < 0xdc00) end += 1
    yield text.slice(at, end)
    at = end
  }
}
