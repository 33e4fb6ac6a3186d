import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { msg } from '../msg-files.js'
import { read } from './reading.js'

const extractor = new WorkerTextExtractor()
beforeAll(async () => {
  // The start of the process does not count.
  expect((await read(extractor, 'a.msg', mail())).text).toContain('The body.')
})
afterAll(async () => {
  await extractor.close()
})

const BLOCK = 512
const [TYPE, LEFT, RIGHT, INSIDE, START, SIZE] = [66, 68, 72, 76, 116, 120]
const STORAGE = 1

/** A mail with 62 folders, each with a stream, and a body in a chain of small blocks. */
function mail(): Buffer {
  const recipients = Array.from({ length: 62 }, (_, at) => ({ '3001': `Person ${at}` }))
  return msg({ properties: { '0037': 'Hello', '1000': 'The body. '.repeat(40) }, recipients })
}

const directoryOf = (bytes: Buffer): number => (bytes.readUInt32LE(48) + 1) * BLOCK
const entryOf = (bytes: Buffer, at: number): Buffer => bytes.subarray(directoryOf(bytes) + at * 128)

/** The numbers of the entries of a type. */
function entriesOf(bytes: Buffer, type: number): number[] {
  return Array.from({ length: 128 }, (_, at) => at).filter((at) => entryOf(bytes, at)[TYPE] === type)
}

function link(entry: Buffer, left: number, right: number, inside: number): void {
  entry.writeInt32LE(left, LEFT)
  entry.writeInt32LE(right, RIGHT)
  entry.writeInt32LE(inside, INSIDE)
}

/** The entry of the body. */
function bodyOf(bytes: Buffer): Buffer {
  return entryOf(bytes, Math.floor((bytes.indexOf(Buffer.from('_1000001F', 'utf16le')) - directoryOf(bytes)) / 128))
}

const HOSTILE: readonly (readonly [what: string, file: () => Buffer, damage: string])[] = [
  [
    'folders that two others contain, 31 levels deep',
    () => {
      const bytes = mail()
      const folders = entriesOf(bytes, STORAGE)
      for (let at = 0; at < folders.length; at += 2) {
        const [first = 0, second = 0, inside = -1] = folders.slice(at, at + 3)
        link(entryOf(bytes, first), -1, second, inside)
        link(entryOf(bytes, second), -1, -1, inside)
      }
      const name = Buffer.from('__properties_version1.0', 'utf16le')
      const stream = Math.floor((bytes.indexOf(name) - directoryOf(bytes)) / 128)
      link(entryOf(bytes, 0), -1, -1, stream)
      link(entryOf(bytes, stream), -1, folders[0] ?? 0, -1)
      return bytes
    },
    'its directory names an entry twice',
  ],
  [
    'entries that stand beside each other in a circle',
    () => {
      const bytes = mail()
      const [first = 0, second = 0] = entriesOf(bytes, STORAGE)
      entryOf(bytes, first).writeInt32LE(second, RIGHT)
      entryOf(bytes, second).writeInt32LE(first, RIGHT)
      return bytes
    },
    'its directory names an entry twice',
  ],
  [
    'a directory in a circle of blocks',
    () => {
      const bytes = mail()
      const table = (bytes.readUInt32LE(76) + 1) * BLOCK
      const start = bytes.readUInt32LE(48)
      bytes.writeInt32LE(start, table + start * 4)
      return bytes
    },
    'its chains of blocks have no end',
  ],
  [
    'a stream that is longer than the file',
    () => {
      const bytes = mail()
      bodyOf(bytes).writeInt32LE(2_000_000_000, SIZE)
      return bytes
    },
    'its streams are longer than the file',
  ],
]

describe('a small mail that would keep a reader busy', () => {
  it.each(HOSTILE)('is refused in a moment: %s', async (_what, file, damage) => {
    const bytes = file()
    expect(bytes.length).toBeLessThan(65_536)
    const { code, message, ms } = await read(extractor, 'a.msg', bytes)
    expect({ code, message }).toEqual({ code: 'ERR_CORRUPT_FILE', message: `The mail is damaged: ${damage}` })
    expect(ms).toBeLessThan(2_000)
  })

  it('is read in a moment if the small blocks of its body form a circle', async () => {
    const bytes = mail()
    const table = (bytes.readUInt32LE(60) + 1) * BLOCK
    const start = bodyOf(bytes).readUInt32LE(START)
    bytes.writeInt32LE(start, table + start * 4)
    const { text, ms } = await read(extractor, 'a.msg', bytes)
    expect(text).toContain('Subject: Hello')
    expect(ms).toBeLessThan(2_000)
  })
})
