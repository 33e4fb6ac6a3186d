import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../adapters/text-extraction/index.js'
import { sized } from '../../full-form.js'
import { heldMemory } from '../../used-memory.js'

const MEGABYTE = 1024 * 1024
const FILE_MEGABYTES = sized(60, 110)
const FILE_BYTES = FILE_MEGABYTES * MEGABYTE
const BLOCK_BYTES = 650_000
/**
 * Memory that the host may hold for a file of any size: buffers and pieces in transit, without garbage. Single samples
 * depend on the load of the machine, so medians are compared.
 */
const MOST_HELD = 24 * MEGABYTE
/** Difference between the two halves of the file, at most. A reader that keeps the text holds more by half of the file. */
const MOST_GROWTH = 8 * MEGABYTE

/** The extraction process would be killed if it needed more memory. The file is larger than its heap. */
const extractor = new WorkerTextExtractor({ maxHeapMb: sized(48, 96), maxMemoryMb: sized(270, 320) })
afterAll(async () => {
  await extractor.close()
})

/** The memory that the host holds while it reads a file, in bytes more than before it: the medians of both halves. */
interface Held {
  readonly characters: number
  readonly firstHalf: number
  readonly secondHalf: number
}

/** Reads a file of one repeated block. */
async function stream(fileName: string, beginning: string, block: Buffer, sizeBytes: number): Promise<Held> {
  const open = async function* () {
    yield Buffer.from(beginning)
    for (let size = 0; size < sizeBytes; size += block.length) yield Buffer.from(block)
  }
  const before = heldMemory()
  const samples: number[] = []
  let characters = 0
  let pieces = 0
  for await (const { text } of extractor.extract({ fileName, sizeBytes, open })) {
    characters += text.length
    pieces += 1
    if (pieces % 20 === 0) samples.push(heldMemory() - before)
  }
  const middle = Math.floor(samples.length / 2)
  return {
    characters,
    firstHalf: median(samples.slice(0, middle)),
    secondHalf: median(samples.slice(middle)),
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
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
      const { characters, firstHalf, secondHalf } = await stream(fileName, beginning, block, FILE_BYTES)
      expect(characters).toBeGreaterThan(FILE_BYTES * 0.95)
      expect(secondHalf).toBeLessThan(MOST_HELD)
      expect(secondHalf - firstHalf).toBeLessThan(MOST_GROWTH)
    },
    600_000,
  )
})
