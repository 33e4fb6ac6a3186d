import { execFileSync } from 'node:child_process'
import { lstat, mkdir, readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { TesseractRecognizer, type TesseractRecognizerOptions } from '../../../adapters/tesseract/index.js'
import { RecognitionProcess } from '../../../adapters/tesseract/recognition-process.js'
import { textRecognizerSuite } from '../../conformance/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { LEFT_OUT, MISSING } from './installed.js'

const PICTURES = join(import.meta.dirname, '../../fixtures/pictures')
const HANDBOOK = 'Parental leave is eighteen weeks. The harbour is closed in winter, and the canteen opens at eleven.'

const opened: TesseractRecognizer[] = []
function open(options: Partial<TesseractRecognizerOptions> = {}): TesseractRecognizer {
  const recognizer = TesseractRecognizer.open({ languages: 'eng', ...options })
  opened.push(recognizer)
  return recognizer
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map(async (recognizer) => await recognizer.close()))
})

async function pictureOf(name: string): Promise<Buffer> {
  return await readFile(join(PICTURES, name))
}

function lineOf(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

describe.skipIf(MISSING.length > 0)(`Tesseract${LEFT_OUT}`, () => {
  textRecognizerSuite({ describe, it }, 'tesseract', async () => {
    const port = TesseractRecognizer.open({ languages: 'eng', concurrency: 2 })
    return { port, dispose: async () => await port.close() }
  })

  it('reads each kind of picture', async () => {
    const recognizer = open()
    for (const name of ['handbook.png', 'handbook.jpg', 'handbook.webp', 'two-pages.tiff']) {
      const { text, confidence } = await recognizer.recognize(await pictureOf(name))
      expect([name, lineOf(text)]).toEqual([name, HANDBOOK])
      expect(confidence).toBeGreaterThan(0.9)
    }
  })

  it.each(['turned.png', 'upside-down.png'])('turns a page upright: %s', async (name) => {
    const { text, confidence } = await open().recognize(await pictureOf(name))
    expect(lineOf(text)).toBe(HANDBOOK)
    expect(confidence).toBeGreaterThan(0.9)
  })

  it('reads several languages, whose data it removes at its end', async () => {
    const folder = await temporaryFolder()
    try {
      const tempDir = join(folder.path, 'temp')
      await mkdir(tempDir)
      const recognizer = open({ languages: 'deu+eng', tempDir })
      expect(recognizer.id).toBe('tesseract deu+eng')
      const { text } = await recognizer.recognize(await pictureOf('german.png'))
      expect(lineOf(text)).toBe(
        'Der Hafen bleibt im Winter geschlossen. Die Übergabe der Schlüssel erfolgt persönlich, und das Frühstück beginnt später.',
      )
      expect(lineOf((await recognizer.recognize(await pictureOf('handbook.png'))).text)).toBe(HANDBOOK)
      const [made = ''] = await readdir(tempDir)
      // A killed process leaves no data behind.
      const data = await lstat(join(tempDir, made, 'deu.traineddata.gz'))
      expect(data.isSymbolicLink() || process.platform === 'win32').toBe(true)
      await recognizer.close()
      expect(await readdir(tempDir)).toEqual([])
    } finally {
      await folder.remove()
    }
  })

  it('finds no text on a white page, and is not sure of it', async () => {
    expect(await open().recognize(whitePng(600))).toEqual({ text: '', confidence: 0 })
  })

  it('refuses a picture that takes too long or too much memory, and reads the next one', async () => {
    const hasty = open({ pictureTimeoutMs: 1 })
    await expect(hasty.recognize(await pictureOf('handbook.png'))).rejects.toMatchObject({
      code: 'ERR_EXTRACTION_TIMEOUT',
    })
    const small = open({ maxMemoryMb: 256 })
    await expect(small.recognize(whitePng(20_000))).rejects.toMatchObject({
      code: 'ERR_EXTRACTION_LIMIT',
      message: expect.stringContaining('more than 256 MB') as string,
    })
    expect(lineOf((await small.recognize(await pictureOf('handbook.png'))).text)).toBe(HANDBOOK)
  })

  it('refuses a picture with too many pixels on a side, and says so', async () => {
    await expect(open().recognize(whitePng(40_000, 30))).rejects.toMatchObject({
      code: 'ERR_EXTRACTION_LIMIT',
      message: expect.stringContaining('at most 32,767 pixels on a side: cut it') as string,
    })
  })

  it('keeps the text that it has read if the orientation cannot be found', async () => {
    const folder = await temporaryFolder()
    const reading = processOf({ orientationFolder: folder.path })
    try {
      const { text } = await reading.recognize(await pictureOf('upside-down.png'), 60_000, undefined)
      expect(text).not.toBe('')
      expect(reading.isSpent).toBe(true)
    } finally {
      await reading.terminate()
      await folder.remove()
    }
  })

  it('replaces a process after 50 pictures', async () => {
    const reading = processOf({})
    try {
      const isSpent: boolean[] = []
      for (let picture = 0; picture < 50; picture += 1) {
        await reading.recognize(whitePng(60), 60_000, undefined)
        isSpent.push(reading.isSpent)
      }
      expect(isSpent.indexOf(true)).toBe(49)
    } finally {
      await reading.terminate()
    }
  })

  it('ends calls in progress and calls that wait when it closes', async () => {
    const recognizer = open({ concurrency: 1 })
    const picture = await pictureOf('handbook.png')
    const calls = [recognizer.recognize(picture), recognizer.recognize(picture)]
    const outcomes = Promise.allSettled(calls)
    await recognizer.close()
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'ERR_CLOSED' } })
    }
  })
})

describe('the options of Tesseract', () => {
  it.each([
    [{ languages: '' }, 'languages: must be codes of languages joined by +'],
    [{ languages: 'eng, deu' }, 'languages: must be codes of languages joined by +'],
    [{ languages: '../eng' }, 'languages: must be codes of languages joined by +'],
    [{ languages: 'eng', concurrency: 0 }, 'concurrency: must be an integer from 1 to 64'],
    [{ languages: 'eng', dpi: 300 }, 'dpi: unknown option "dpi"'],
  ])('%j has an error that names the option', (options, message) => {
    expect(() => TesseractRecognizer.check(options)).toThrow(message)
  })

  it.skipIf(MISSING.length > 0)(`name the command that installs a missing language${LEFT_OUT}`, () => {
    expect(() => TesseractRecognizer.check({ languages: 'eng+xyz' })).toThrow(
      'text recognition in eng+xyz needs packages that are not installed: run npm install @tesseract.js-data/xyz',
    )
  })

  it('name the command that installs all packages where none is installed', () => {
    const index = new URL('../../../dist/adapters/tesseract/index.js', import.meta.url).href
    // As on a machine without the packages.
    const program = `import Module from 'node:module'
      const find = Module._resolveFilename
      Module._resolveFilename = (name, ...rest) => {
        if (name.includes('tesseract.js')) throw Object.assign(new Error(name), { code: 'MODULE_NOT_FOUND' })
        return find(name, ...rest)
      }
      const { TesseractRecognizer } = await import(${JSON.stringify(index)})
      try { TesseractRecognizer.check({ languages: 'eng' }) } catch (error) { console.log(error.code, error.message) }`
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
    expect(output).toBe(
      'ERR_UNSUPPORTED text recognition in eng needs packages that are not installed: run npm install tesseract.js @tesseract.js-data/eng @tesseract.js-data/osd\n',
    )
  })
})

/** A process that reads English, and no more. */
function processOf(settings: { readonly orientationFolder?: string }): RecognitionProcess {
  const english = createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json')
  const languageFolder = join(dirname(english), '4.0.0_best_int')
  return new RecognitionProcess({ languages: ['eng'], languageFolder, maxMemoryMb: 1_024, ...settings })
}

/** A white PNG with one bit for each pixel. The default is a square. */
function whitePng(width: number, height: number = width): Buffer {
  const rowBytes = Math.ceil(width / 8) + 1
  const rows = Buffer.alloc(rowBytes * height, 0xff)
  // The first byte of each row says that it is not filtered.
  for (let row = 0; row < height; row += 1) rows[row * rowBytes] = 0
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0])
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([
    signature,
    part('IHDR', header),
    part('IDAT', deflateSync(rows)),
    part('IEND', Buffer.alloc(0)),
  ])
}

function part(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
