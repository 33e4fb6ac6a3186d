import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../adapters/text-extraction/index.js'
import { sized } from '../../full-form.js'
import { heldMemory } from '../../used-memory.js'

const MEGABYTE = 1024 * 1024
const FILE_MEGABYTES = sized(60, 110)
const FILE_BYTES = FILE_MEGABYTES * MEGABYTE
const BLOCK_BYTES = 650_000
/** Memory that the host may hold for a file of any size: buffers and pieces in transit, without garbage. */
const MOST_GROWTH = 24 * MEGABYTE

/** The extraction process would be killed if it needed more memory. The file is larger than its heap. */
const extractor = new WorkerTextExtractor({ maxHeapMb: sized(48, 96), maxMemoryMb: sized(270, 320) })
afterAll(async () => {
  await extractor.close()
})

/** Reads a file of one repeated block. Returns the length of the text and the growth of memory. */
async function stream(
  fileName: string,
  beginning: string,
  block: Buffer,
  sizeBytes: number,
): Promise<{ readonly characters: number; readonly growth: number }> {
  const open = async function* () {
    yield Buffer.from(beginning)
    for (let size = 0; size < sizeBytes; size += block.length) yield Buffer.from(block)
  }
  const before = heldMemory()
  let most = before
  let characters = 0
  let pieces = 0
  for await (const { text } of extractor.extract({ fileName, sizeBytes, open })) {
    characters += text.length
    pieces += 1
    if (pieces % 20 === 0) most = Math.max(most, heldMemory())
  }
  return { characters, growth: most - before }
}

describe(`a file of ${FILE_MEGABYTES} MB`, () => {
  it.each([
    ['a.txt', '', 'Zürich lies at the lower end of its lake, and the mountains are seen from there.\n'],
    ['a.csv', 'City,Country,Remark\n', `Zürich,Switzerland,"${'a city at the lower end of its lake, '.repeat(20)}"\n`],
  ])(
    'is read in memory that does not grow with the file: %s',
    async (fileName, beginning, line) => {
      const block = Buffer.from(line.repeat(Math.ceil(BLOCK_BYTES / line.length)))
      await stream(fileName, beginning, block, 4 * MEGABYTE)
      const { characters, growth } = await stream(fileName, beginning, block, FILE_BYTES)
      expect(characters).toBeGreaterThan(FILE_BYTES * 0.95)
      expect(growth).toBeLessThan(MOST_GROWTH)
    },
    600_000,
  )
})
