import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { MemoryTextRecognizer } from '../../../../adapters/memory/index.js'
import { WorkerTextExtractor, type WorkerTextExtractorOptions } from '../../../../adapters/text-extraction/index.js'
import { ExtractionError, type RecognizedText, StorageError, type TextRecognizer } from '../../../../src/ports/index.js'
import { extracted, sourceOf } from '../../../extracted.js'

const PICTURES = join(import.meta.dirname, '../../../fixtures/pictures')
const HANDBOOK = 'Parental leave is eighteen weeks. The harbour is closed in winter, and the canteen opens at eleven.'

const opened: WorkerTextExtractor[] = []
function open(recognizer?: TextRecognizer, options: WorkerTextExtractorOptions = {}): WorkerTextExtractor {
  const extractor = new WorkerTextExtractor({ ...options, recognizer })
  opened.push(extractor)
  return extractor
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map(async (extractor) => await extractor.close()))
})

async function pictureOf(name: string): Promise<Buffer> {
  return await readFile(join(PICTURES, name))
}

/** A recogniser whose answers a test gives. */
function recognizerOf(
  recognize: (picture: Uint8Array, signal: AbortSignal | undefined) => Promise<RecognizedText>,
  concurrency = 1,
): TextRecognizer {
  return {
    id: 'test',
    concurrency,
    recognize: async (picture, options) => await recognize(picture, options?.signal),
    close: () => Promise.resolve(),
  }
}

describe('a picture', () => {
  it('is refused without a recogniser, with the command that adds one', async () => {
    const extractor = open()
    const picture = await pictureOf('handbook.png')
    expect(extractor.formats.map(({ extension }) => extension)).not.toContain('.png')
    for (const name of ['scan.png', 'scan.JPG', 'scan.tiff', 'scan.webp']) {
      await expect(extractor.identify(name, picture)).rejects.toMatchObject({
        code: 'ERR_UNSUPPORTED_FORMAT',
        message: expect.stringMatching(/npm install tesseract\.js .* --ocr eng/) as string,
      })
    }
    // A document that was uploaded while there was one.
    await expect(extracted(extractor, sourceOf('scan.png', picture))).rejects.toMatchObject({
      message: expect.stringContaining('npm install tesseract.js') as string,
    })
  })

  it('is identified by its bytes', async () => {
    const extractor = open(new MemoryTextRecognizer())
    const [png, jpg, tiff, webp] = await Promise.all(
      ['handbook.png', 'handbook.jpg', 'two-pages.tiff', 'handbook.webp'].map(pictureOf),
    )
    const typeOf = async (name: string, bytes: Buffer = Buffer.alloc(0)): Promise<string> =>
      (await extractor.identify(name, bytes.subarray(0, 4_096))).contentType
    expect(await typeOf('a.png', png)).toBe('image/png')
    expect(await typeOf('a.jpeg', jpg)).toBe('image/jpeg')
    expect(await typeOf('a.tif', tiff)).toBe('image/tiff')
    expect(await typeOf('a.webp', webp)).toBe('image/webp')
    await expect(typeOf('a.png', jpg)).rejects.toMatchObject({
      code: 'ERR_WRONG_TYPE',
      message: expect.stringContaining('rename the file to .jpg') as string,
    })
    await expect(typeOf('a.pdf', png)).rejects.toThrow('rename the file to .png')
    await expect(typeOf('a.png', Buffer.from('plain text'))).rejects.toMatchObject({ code: 'ERR_WRONG_TYPE' })
  })

  it('stays a picture if the upload calls it a text', async () => {
    const png = await pictureOf('handbook.png')
    const [reading, blind] = [open(new MemoryTextRecognizer()), open()]
    expect(await reading.identify('a.png', png, 'text/plain')).toEqual({ extension: '.png', contentType: 'image/png' })
    const source = { ...sourceOf('a.png', png), contentType: 'text/plain' }
    expect((await extracted(reading, source)).text).toBe(`${HANDBOOK}\n\n`)
    await expect(blind.identify('a.png', png, 'text/plain')).rejects.toThrow('npm install tesseract.js')
    await expect(reading.identify('a.out', png, 'text/plain')).rejects.toMatchObject({
      code: 'ERR_WRONG_TYPE',
      message: 'The content is an image, but the upload says that it is plain text: rename the file to .png',
    })
  })

  it('has the text that the recogniser reads, as one page', async () => {
    const { text, pieces } = await extracted(
      open(new MemoryTextRecognizer()),
      sourceOf('scan.png', await pictureOf('handbook.png')),
    )
    expect(text).toBe(`${HANDBOOK}\n\n`)
    expect(pieces[0]).toMatchObject({ pages: 1, recognised: 1, marks: [{ at: 0, page: 1 }] })
    expect(pieces.flatMap(({ warnings = [] }) => warnings)).toEqual([])
  })

  it('joins words that are cut at the ends of lines', async () => {
    const recognizer = recognizerOf(async () => ({ text: 'The har-\nbour is closed.', confidence: 0.9 }))
    const { text } = await extracted(open(recognizer), sourceOf('scan.png', await pictureOf('handbook.png')))
    expect(text).toBe('The harbour is closed.\n\n')
  })

  it.each([1, 2, 8])('of a .tiff has its pages in their order, %d at a time', async (concurrency) => {
    const firstPages: string[] = []
    const recognizer = recognizerOf(async (picture) => {
      // The address of the page that a recogniser reads.
      const address = Buffer.from(picture).toString('hex', 4, 8)
      if (!firstPages.includes(address)) firstPages.push(address)
      const page = firstPages.indexOf(address) + 1
      // The first page takes longest.
      await new Promise((resolve) => setTimeout(resolve, page === 1 ? 100 : 0))
      return { text: `Page ${page}.`, confidence: page === 1 ? 0.95 : 0.42 }
    }, concurrency)
    const { text, pieces } = await extracted(open(recognizer), sourceOf('scan.tiff', await pictureOf('two-pages.tiff')))
    expect(text).toBe('Page 1.\n\nPage 2.\n\n')
    expect(pieces.flatMap(({ marks = [] }) => marks)).toEqual([
      { at: 0, page: 1 },
      { at: 0, page: 2 },
    ])
    expect(pieces.flatMap(({ warnings = [] }) => warnings)).toEqual([
      'page 2 is hard to recognise (42% sure): its text may have wrong letters',
    ])
    expect(pieces.flatMap(({ warningReasons = [] }) => warningReasons)).toEqual([
      { code: 'page-recognised-unsure', parameters: { page: 2, percent: 42 } },
    ])
  })

  it('of a .tiff has the pages that can be read, and a warning for each other one', async () => {
    const codes = ['ERR_EXTRACTION_TIMEOUT', undefined, 'ERR_CORRUPT_FILE'] as const
    let calls = 0
    const recognizer = recognizerOf(async () => {
      const code = codes[calls]
      calls += 1
      if (code !== undefined) throw new ExtractionError(code, 'not this page')
      return { text: `Page ${calls}.`, confidence: 1 }
    })
    const { text, pieces } = await extracted(open(recognizer), sourceOf('a.tiff', tiffOf(3)))
    expect(text).toBe('Page 2.\n\n')
    expect(pieces.at(-1)).toMatchObject({ pages: 3, recognised: 1 })
    expect(pieces.flatMap(({ warningReasons = [] }) => warningReasons)).toEqual([
      { code: 'page-not-recognised', parameters: { page: 1 } },
      { code: 'page-damaged', parameters: { page: 3 } },
    ])
  })

  it.each(['classic', 'big'] as const)('of a %s .tiff whose pages lead nowhere has a warning', async (kind) => {
    const places: string[] = []
    const recognizer = recognizerOf(async (picture) => {
      places.push(Buffer.from(picture).toString('hex', kind === 'big' ? 8 : 4, kind === 'big' ? 16 : 8))
      return { text: 'page', confidence: 1 }
    })
    const whole = await extracted(open(recognizer), sourceOf('a.tiff', tiffOf(2, kind)))
    expect([whole.text, whole.warnings]).toEqual(['page\n\npage\n\n', []])
    expect(new Set(places).size).toBe(2)
    const broken = await extracted(open(recognizer), sourceOf('a.tiff', tiffOf(2, kind, 1_000_000)))
    expect([broken.text, broken.warnings]).toEqual([
      'page\n\npage\n\n',
      ['the file is damaged: 2 pages were found, others may be lost'],
    ])
  })

  it('of a .tiff that takes too long has the pages up to then, and a warning that names the next one', async () => {
    let calls = 0
    const recognizer = recognizerOf(async () => {
      calls += 1
      if (calls === 2) await new Promise((resolve) => setTimeout(resolve, 600))
      return { text: 'page', confidence: 1 }
    })
    const reading = extracted(open(recognizer, { recognitionTimeoutMs: 500 }), sourceOf('a.tiff', tiffOf(9)))
    const { text, pieces } = await reading
    expect(text).toBe('page\n\npage\n\n')
    expect(pieces.flatMap(({ warningReasons = [] }) => warningReasons)).toEqual([
      { code: 'recognition-ended', parameters: { page: 3 } },
    ])
  })

  it('whose recogniser never answers is tried again', async () => {
    const recognizer = recognizerOf(async () => await new Promise(() => undefined))
    const extractor = open(recognizer, { pictureTimeoutMs: 200 })
    const picture = sourceOf('scan.png', await pictureOf('handbook.png'))
    await expect(extracted(extractor, picture)).rejects.toMatchObject({ isTransient: true })
    // Its place is free again.
    await expect(extracted(extractor, picture)).rejects.toThrow('the recogniser returned no text of a picture')
  })

  it('comes to the recogniser whole, however large it is', async () => {
    const picture = Buffer.concat([await pictureOf('handbook.png'), randomBytes(1_000_000)])
    let received: Uint8Array | undefined
    const recognizer = recognizerOf(async (bytes) => {
      received = bytes
      return { text: 'text', confidence: 1 }
    })
    await extracted(open(recognizer), sourceOf('scan.png', picture))
    expect(received !== undefined && picture.equals(received)).toBe(true)
  })

  it('of more than 64 MB is refused', async () => {
    const source = { ...sourceOf('scan.png', await pictureOf('handbook.png')), sizeBytes: 64 * 1_048_576 + 1 }
    await expect(extracted(open(new MemoryTextRecognizer()), source)).rejects.toMatchObject({
      code: 'ERR_EXTRACTION_LIMIT',
      message: expect.stringContaining('at most 64 MB') as string,
    })
  })

  it('with a page that comes again and again is refused', async () => {
    let calls = 0
    const recognizer = recognizerOf(async () => {
      calls += 1
      return { text: 'page', confidence: 1 }
    })
    await expect(extracted(open(recognizer), sourceOf('a.tiff', tiffOf(200)))).rejects.toMatchObject({
      code: 'ERR_EXTRACTION_LIMIT',
    })
    expect(calls).toBe(0)
  })

  it('without text, or that cannot be read, is an error', async () => {
    const picture = sourceOf('scan.png', await pictureOf('handbook.png'))
    const blank = recognizerOf(async () => ({ text: '', confidence: 0 }))
    await expect(extracted(open(blank), picture)).rejects.toMatchObject({
      code: 'ERR_NO_TEXT',
      message: 'No text was found in the picture',
    })
    const strict = recognizerOf(async () => {
      throw new ExtractionError('ERR_EXTRACTION_TIMEOUT', 'it takes too long')
    })
    await expect(extracted(open(strict), picture)).rejects.toMatchObject({
      code: 'ERR_EXTRACTION_TIMEOUT',
      message: 'it takes too long',
    })
  })

  it('keeps the error of a recogniser that does not work, so that the job is retried', async () => {
    const failure = new StorageError('the recogniser is away', { isTransient: true })
    const recognizer = recognizerOf(async () => await Promise.reject(failure))
    const reading = extracted(open(recognizer), sourceOf('scan.png', await pictureOf('handbook.png')))
    await expect(reading).rejects.toBe(failure)
  })

  it('may take longer than a reader may be silent', async () => {
    const recognizer = recognizerOf(async () => {
      await new Promise((resolve) => setTimeout(resolve, 3_000))
      return { text: 'slow', confidence: 1 }
    })
    const extractor = open(recognizer, { pieceTimeoutMs: 2_000 })
    const { text } = await extracted(extractor, sourceOf('scan.png', await pictureOf('handbook.png')))
    expect(text).toBe('slow\n\n')
  })

  it('is no longer read when the extraction is aborted', async () => {
    const aborting = new AbortController()
    let stop = (): void => undefined
    const stopped = new Promise<void>((resolve) => {
      stop = resolve
    })
    const recognizer = recognizerOf(async (_, signal) => {
      signal?.addEventListener('abort', () => stop())
      aborting.abort(new Error('no longer wanted'))
      await stopped
      return { text: '', confidence: 0 }
    })
    const reading = async (): Promise<void> => {
      const source = sourceOf('scan.png', await pictureOf('handbook.png'))
      for await (const _ of open(recognizer).extract(source, { signal: aborting.signal })) throw new Error('a piece')
    }
    await expect(reading()).rejects.toThrow('no longer wanted')
    // The recogniser was told.
    await stopped
  })
})

/** A TIFF with pages of no entries, one after the other. @param last the address at the end of the last page */
function tiffOf(count: number, kind: 'classic' | 'big' = 'classic', last = 0): Buffer {
  const isBig = kind === 'big'
  // A page is the number of its entries, 0, and the address of the next page.
  const [headerBytes, countBytes, pageBytes] = isBig ? [16, 8, 16] : [8, 2, 6]
  const header = Buffer.alloc(headerBytes)
  header.write(isBig ? 'II+\0\b' : 'II*\0', 'latin1')
  header.writeUInt32LE(headerBytes, isBig ? 8 : 4)
  const pages = Buffer.alloc(count * pageBytes)
  for (let page = 0; page < count; page += 1) {
    const next = page === count - 1 ? last : headerBytes + (page + 1) * pageBytes
    pages.writeUInt32LE(next, page * pageBytes + countBytes)
  }
  return Buffer.concat([header, pages])
}
