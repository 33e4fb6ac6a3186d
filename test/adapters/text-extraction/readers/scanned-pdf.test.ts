import { afterEach, describe, expect, it } from 'vitest'
import { TesseractRecognizer } from '../../../../adapters/tesseract/index.js'
import { WorkerTextExtractor, type WorkerTextExtractorOptions } from '../../../../adapters/text-extraction/index.js'
import { ExtractionError, type RecognizedText, type TextRecognizer } from '../../../../src/ports/index.js'
import { extracted, sourceOf } from '../../../extracted.js'
import { covering, scannedPdf } from '../../../fixtures/scanned-pdf.js'
import { LEFT_OUT, MISSING } from '../../tesseract/installed.js'

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

function recognizerOf(recognize: (picture: Buffer) => Promise<RecognizedText>, concurrency = 1): TextRecognizer {
  return {
    id: 'test',
    concurrency,
    recognize: async (picture) => await recognize(Buffer.from(picture)),
    close: () => Promise.resolve(),
  }
}

/** The dots in an inch that a picture names: it has more of them on a smaller page. */
function dpiOf(png: Buffer): number {
  return Math.round(png.readUInt32BE(png.indexOf('pHYs') + 4) / 39.37)
}

/** A picture on the whole page, and a line on top of it. */
const STAMPED = `${covering([410, 70])} BT /F1 12 Tf 10 10 Td (Received in May) Tj ET`

describe('a scanned PDF', () => {
  it('without a recogniser has an error with the command that adds one', async () => {
    await expect(extracted(open(), sourceOf('a.pdf', scannedPdf([{ picture: 'photo' }])))).rejects.toMatchObject({
      code: 'ERR_NO_TEXT',
      message: expect.stringMatching(/npm install tesseract\.js .* --ocr eng/) as string,
    })
  })

  it.skipIf(MISSING.length > 0)(`has the text of each page, as a viewer shows it${LEFT_OUT}`, async () => {
    const recognizer = TesseractRecognizer.open({ languages: 'eng', concurrency: 2 })
    const pages = [
      { picture: 'photo' },
      { picture: 'bits' },
      { picture: 'mask' },
      // Drawn downwards, in coordinates that are turned over.
      { picture: 'photo', content: '1 0 0 -1 0 70 cm q 410 0 0 -70 0 70 cm /P Do Q' },
      // On its side, on a page that viewers turn.
      { picture: 'bits', size: [70, 410], rotate: 90, content: 'q 0 410 -70 0 70 0 cm /P Do Q' },
      // In a group of its own at half the size, doubled.
      { picture: 'photo', content: 'q 2 0 0 2 0 0 cm q 205 0 0 35 0 0 cm /P Do Q Q' },
    ] as const
    const { text, pieces, warnings } = await extracted(open(recognizer), sourceOf('a.pdf', scannedPdf(pages)))
    expect(text.split('\n\n').map((page) => page.replaceAll(/\s+/g, ' '))).toEqual([...pages.map(() => HANDBOOK), ''])
    expect(pieces.flatMap(({ marks = [] }) => marks.map((mark) => 'page' in mark && mark.page))).toEqual([
      1, 2, 3, 4, 5, 6,
    ])
    expect(warnings).toEqual([])
  })

  it('has its pages in their order, whichever is recognised first', async () => {
    const recognizer = recognizerOf(async (picture) => {
      const dpi = dpiOf(picture)
      await new Promise((resolve) => setTimeout(resolve, dpi === 72 ? 300 : 0))
      return { text: `Picture ${dpi}.`, confidence: dpi === 144 ? 0.5 : 0.9 }
    }, 3)
    const pdf = scannedPdf([
      { picture: 'bits', size: [820, 140] },
      { picture: 'photo', size: [410, 70] },
      { picture: 'mask', size: [656, 112] },
      { picture: 'bits', size: [328, 56] },
    ])
    const { text, warnings } = await extracted(open(recognizer), sourceOf('a.pdf', pdf))
    expect(text).toBe('Picture 72.\n\nPicture 144.\n\nPicture 90.\n\nPicture 180.\n\n')
    expect(warnings).toEqual(['page 2 is hard to recognise (50% sure): its text may have wrong letters'])
  })

  it('keeps the text that it has, and the letters on a scan', async () => {
    const pictures: Buffer[] = []
    const recognizer = recognizerOf(async (picture) => {
      pictures.push(picture)
      return { text: 'The picture.', confidence: 0.9 }
    })
    const long = 'Words that are text and not a picture. '.repeat(4)
    const pages = [
      { content: `BT /F1 8 Tf 10 10 Td (${long}) Tj ET`, size: [2_000, 70] },
      { picture: 'bits', content: STAMPED },
      {},
      // Too small for a scan.
      { picture: 'bits', content: 'q 100 0 0 20 0 0 cm /P Do Q' },
    ] as const
    const { text, pieces, warnings } = await extracted(open(recognizer), sourceOf('a.pdf', scannedPdf(pages)))
    expect(text).toBe(`${long.trim()}\n\nThe picture.\n\nReceived in May\n\n`)
    expect(warnings).toEqual(['page 3 has no text', 'page 4 has no text'])
    expect(
      pieces
        .map(({ recognised }) => recognised)
        .filter(Boolean)
        .at(-1),
    ).toBe(1)
    expect(pictures.map((picture) => [picture.readUInt32BE(16), picture.readUInt32BE(20)])).toEqual([[820, 140]])
  })

  it('loses only the pages that cannot be recognised', async () => {
    const recognizer = recognizerOf(async (picture) => {
      if (dpiOf(picture) === 72) throw new ExtractionError('ERR_EXTRACTION_TIMEOUT', 'it takes too long')
      return { text: 'The picture.', confidence: 0.9 }
    })
    const pdf = scannedPdf([{ picture: 'bits', size: [820, 140] }, { picture: 'bits' }])
    const { text, warnings } = await extracted(open(recognizer), sourceOf('a.pdf', pdf))
    expect(text).toBe('The picture.\n\n')
    expect(warnings).toEqual(['page 1 has no text'])
    const failing = recognizerOf(async () => {
      throw new ExtractionError('ERR_EXTRACTION_LIMIT', 'it is too large')
    })
    await expect(extracted(open(failing), sourceOf('a.pdf', pdf))).rejects.toMatchObject({
      code: 'ERR_NO_TEXT',
      message: 'The PDF has no text, and none could be recognised in its pictures',
    })
  })

  it('that takes too long has the pages up to then, and a warning that names the next one', async () => {
    const recognizer = recognizerOf(async () => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      return { text: 'The picture.', confidence: 0.9 }
    })
    const pdf = scannedPdf(Array.from({ length: 9 }, () => ({ picture: 'bits' as const })))
    const extractor = open(recognizer, { recognitionTimeoutMs: 250 })
    const { text, pieces } = await extracted(extractor, sourceOf('a.pdf', pdf))
    const read = text.split('The picture.').length - 1
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(9)
    const reasons = pieces.flatMap(({ warningReasons = [] }) => warningReasons)
    expect(reasons.filter((reason) => reason?.code === 'recognition-ended')).toEqual([
      { code: 'recognition-ended', parameters: { page: read + 1 } },
    ])
  })

  it('that repeats one picture is recognised as far as its size allows', async () => {
    let calls = 0
    const recognizer = recognizerOf(async () => {
      calls += 1
      return { text: 'again', confidence: 0.9 }
    })
    const pdf = scannedPdf(Array.from({ length: 200 }, () => ({ picture: 'bits' as const })))
    await extracted(open(recognizer), sourceOf('a.pdf', pdf))
    expect(calls).toBe(20 + Math.floor(pdf.length / 2_048))
    expect(calls).toBeLessThan(100)
  })
})
