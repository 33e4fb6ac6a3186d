import assert from 'node:assert/strict'
import type { ExtractionSource, StructureMark, TextExtractor } from '../../src/ports/index.js'
import { type CreateSubject, collect, defineSuite, inPieces, rejectsWith, type TestRunner } from './harness.js'

/** Tests for every TextExtractor. It must read `.txt` and `.md` at least. */
export function textExtractorSuite(runner: TestRunner, name: string, create: CreateSubject<TextExtractor>): void {
  defineSuite(runner, `TextExtractor: ${name}`, create, (test) => {
    test('lists its formats by extension, with the dot, and MIME type', async ({ formats }) => {
      assert.ok(formats.some(({ extension }) => extension === '.txt'))
      for (const { extension, contentType } of formats) {
        assert.match(extension, /^\.[a-z0-9]+$/)
        assert.match(contentType, /^[a-z]+\/[\w.+-]+$/)
      }
    })

    test('identifies a format by the extension of the name, in any case', async (extractor) => {
      const head = Buffer.from('Some text.')
      assert.equal((await extractor.identify('a.txt', head)).contentType, 'text/plain')
      assert.equal((await extractor.identify('../x/REPORT.TXT', head)).contentType, 'text/plain')
      assert.equal((await extractor.identify('notes.md', head)).contentType, 'text/markdown')
    })

    test('rejects names of other formats, empty files and programs', async (extractor) => {
      const elf = Buffer.concat([Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]), Buffer.alloc(200)])
      await rejectsWith('ERR_UNSUPPORTED_FORMAT', extractor.identify('a.exe', Buffer.from('text')))
      await rejectsWith('ERR_UNSUPPORTED_FORMAT', extractor.identify('no-ending', Buffer.from('text')))
      await rejectsWith('ERR_UNSUPPORTED_FORMAT', extractor.identify('a.txt', elf))
      await rejectsWith('ERR_EMPTY_FILE', extractor.identify('a.txt', Buffer.alloc(0)))
    })

    test('takes a file for a text if the upload says so, unless its name says more', async (extractor) => {
      const head = Buffer.from('Some text.')
      assert.equal((await extractor.identify('no-ending', head, 'text/plain')).contentType, 'text/plain')
      assert.equal((await extractor.identify('notes.md', head, 'text/plain')).contentType, 'text/markdown')
      await rejectsWith('ERR_UNSUPPORTED_FORMAT', extractor.identify('no-ending', head, 'application/x-other'))
      const file = { ...source('no-ending', head, 3), contentType: 'text/plain' }
      assert.equal(await textOf(extractor, file), 'Some text.')
    })

    test('returns plain text unchanged, whatever the size of the pieces that it reads', async (extractor) => {
      const text = '# Heading\r\n\r\n  Grüße, 東京, 👩‍👩‍👧‍👦.\n\n\ttab  and  blanks \n'
      for (const size of [1, 3, 7, 1_000]) {
        assert.equal(await textOf(extractor, source('a.md', Buffer.from(text), size)), text)
      }
    })

    test('marks the headings of Markdown where they begin, whatever the size of the pieces', async (extractor) => {
      const text = '# First part\n\nSome text.\n\n## Grüße 👋\n\nMore text.\n# Second part\nThe end.\n'
      for (const size of [1, 3, 7, 1_000]) {
        const { marks } = await markedText(extractor, source('a.md', Buffer.from(text), size))
        assert.deepEqual(marks, [
          { at: text.indexOf('# First'), heading: 'First part', level: 1 },
          { at: text.indexOf('## Gr'), heading: 'Grüße 👋', level: 2 },
          { at: text.indexOf('# Second'), heading: 'Second part', level: 1 },
        ])
      }
    })

    test('orders marks by their place, which is in the piece, and limits their headings', async (extractor) => {
      const section = (number: number): string => `# Section ${number} ${'👍 long '.repeat(number)}\n\nText.\n\n`
      const text = Array.from({ length: 400 }, (_, number) => section(number)).join('')
      const file = source('a.md', Buffer.from(text), 10_007)
      const pieces = await collect(extractor.extract(file))
      let page = 0
      for (const piece of pieces) {
        let last = 0
        for (const mark of piece.marks ?? []) {
          assert.ok(mark.at >= last && mark.at <= piece.text.length)
          last = mark.at
          if ('page' in mark) {
            assert.ok(mark.page > page)
            page = mark.page
          } else {
            assert.ok(mark.heading.trim() !== '' && mark.heading.length <= 200 && mark.heading.isWellFormed())
            assert.doesNotMatch(mark.heading, /[\r\n]/)
            assert.ok(Number.isInteger(mark.level) && mark.level >= 1 && mark.level <= 9)
          }
        }
      }
      const read = await markedText(extractor, file)
      assert.equal(read.marks.length, 400)
      assert.deepEqual(read, await markedText(extractor, file))
    })

    test('returns the same text for the same file', async (extractor) => {
      const file = source('a.txt', Buffer.from('once and again\n'.repeat(5_000)), 10_000)
      assert.equal(await textOf(extractor, file), await textOf(extractor, file))
    })

    test('returns well-formed pieces of limited size', async (extractor) => {
      const file = source('a.txt', Buffer.from('👍 word '.repeat(200_000)), 65_537)
      for (const { text } of await collect(extractor.extract(file))) {
        assert.ok(text.length <= 500_000)
        assert.ok(text.isWellFormed())
      }
    })

    test('never returns U+0000', async (extractor) => {
      assert.equal(await textOf(extractor, source('a.txt', Buffer.from('a\0b'), 10)), 'a\uFFFDb')
    })

    test('rejects a file without text with an error that says so', async (extractor) => {
      await rejectsWith('ERR_NO_TEXT', textOf(extractor, source('a.txt', Buffer.from(' \n\n \t'), 10)))
    })

    test('reads the source no faster than the caller consumes the text', async (extractor) => {
      let read = 0
      let passesUnderWay = 0
      const piece = Buffer.from('word '.repeat(13_000))
      const pieces = 300
      const endless: ExtractionSource = {
        fileName: 'a.txt',
        sizeBytes: pieces * piece.length,
        open: async function* () {
          // There may be two passes over the source: one pass may detect the encoding.
          passesUnderWay += 1
          for (let number = 0; number < pieces; number += 1) {
            read += 1
            yield piece
          }
          passesUnderWay -= 1
        },
      }
      const iterator = extractor.extract(endless)[Symbol.asyncIterator]()
      await iterator.next()
      await new Promise((resolve) => setTimeout(resolve, 200))
      const before = read
      await new Promise((resolve) => setTimeout(resolve, 300))
      assert.ok(read - before <= 2, `${read - before} pieces were read while nobody took text`)
      assert.equal(passesUnderWay, 1, 'the source is not read to its end while nobody takes text')
      await iterator.return?.()
    })

    test('stops when it is aborted and reads the next file normally', async (extractor) => {
      const abort = new AbortController()
      const file = source('a.txt', Buffer.from('word '.repeat(200_000)), 10_000)
      const reading = async (): Promise<void> => {
        for await (const _ of extractor.extract(file, { signal: abort.signal })) abort.abort(new Error('enough'))
      }
      await assert.rejects(reading(), /enough/)
      assert.equal(await textOf(extractor, source('b.txt', Buffer.from('next'), 10)), 'next')
    })

    test('rethrows the error of a source that cannot be read', async (extractor) => {
      const broken: ExtractionSource = {
        fileName: 'a.txt',
        sizeBytes: 10,
        open: async function* () {
          yield Buffer.from('some')
          throw new Error('disk on fire')
        },
      }
      await assert.rejects(textOf(extractor, broken), /disk on fire/)
    })

    test('reads several files concurrently', async (extractor) => {
      const texts = ['one', 'two', 'three', 'four', 'five']
      const read = await Promise.all(texts.map((text) => textOf(extractor, source('a.txt', Buffer.from(text), 2))))
      assert.deepEqual(read, texts)
    })

    test('rejects every call after close, and a second close succeeds', async (extractor) => {
      await extractor.close()
      await extractor.close()
      await rejectsWith('ERR_CLOSED', textOf(extractor, source('a.txt', Buffer.from('text'), 10)))
    })
  })
}

function source(fileName: string, bytes: Uint8Array, pieceSize: number): ExtractionSource {
  return { fileName, sizeBytes: bytes.length, open: () => inPieces(bytes, pieceSize) }
}

/** The text of a file, and its marks with offsets in that text. */
async function markedText(
  extractor: TextExtractor,
  file: ExtractionSource,
): Promise<{ readonly text: string; readonly marks: readonly StructureMark[] }> {
  let text = ''
  const marks: StructureMark[] = []
  for (const piece of await collect(extractor.extract(file))) {
    for (const mark of piece.marks ?? []) marks.push({ ...mark, at: mark.at + text.length })
    text += piece.text
  }
  return { text, marks }
}

async function textOf(extractor: TextExtractor, file: ExtractionSource): Promise<string> {
  return (await collect(extractor.extract(file))).map(({ text }) => text).join('')
}
