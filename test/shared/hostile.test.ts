import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../adapters/text-extraction/index.js'
import { read } from '../adapters/text-extraction/hostile/reading.js'
import { dataFolder, readShared, sharedDocuments } from './shared-documents.js'

const HOSTILE = new Set(['zip-xml-bomb', 'malicious-or-odd', 'fuzzed', 'corrupt'])
const CODE =
  /^ERR_(?:UNSUPPORTED_FORMAT|WRONG_TYPE|EMPTY_FILE|NO_TEXT|ENCRYPTED|CORRUPT_FILE|UNDECODABLE_TEXT|EXTRACTION_LIMIT|EXTRACTION_TIMEOUT)$/
const ENDINGS = ['.docx', '.doc', '.pdf', '.txt', '.md', '.csv']

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

async function check(fileName: string, bytes: Buffer): Promise<void> {
  const { code, message, text } = await read(extractor, fileName, bytes)
  if (code === undefined) {
    expect(text?.trim()).not.toBe('')
    expect(text?.isWellFormed()).toBe(true)
  } else {
    expect(code).toMatch(CODE)
    expect(message).toMatch(/^[^\n]{10,300}$/)
  }
}

// U7, U8
describe.skipIf(dataFolder === undefined)('a hostile or broken file', async () => {
  const documents = (await sharedDocuments('all')).filter(({ tag }) => HOSTILE.has(tag))

  it.each(documents.filter(({ type }) => type !== 'other'))(
    'is read, or refused with a sentence: $file',
    async (document) => {
      const { fileName, bytes } = await readShared(document)
      await check(fileName, bytes)
    },
  )

  it.each(documents.filter(({ type }) => type === 'other'))('is refused under every name: $file', async ({ file }) => {
    const packed = await readFile(join(dataFolder ?? '', file))
    for (const ending of ENDINGS) {
      await check(`${basename(file)}${ending}`, packed)
      if (file.endsWith('.gz')) await check(`${basename(file)}-unpacked${ending}`, gunzipSync(packed))
    }
  })

  it('does no harm to the next file', async () => {
    expect((await read(extractor, 'a.txt', Buffer.from('still here'))).text).toBe('still here')
  })
})
