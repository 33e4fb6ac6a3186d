import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { sourceOf } from '../../../extracted.js'
import { sized } from '../../../full-form.js'
import { LoopStops } from '../../../ingestion/loop-stops.js'
import { usedMemory } from '../../../used-memory.js'
import { objectStreamBomb, onePage, stream, zlibMegabytes } from './pdf-writer.js'
import { AFTER_TEXT, BEFORE_TEXT, bodyOf, deflatedMegabytes, docxOf } from './zip-writer.js'

const MB = 1_048_576
/** A busy machine may spoil one round. */
const MOST_ROUNDS = 3
const LEAST_ROUNDS = sized(1, MOST_ROUNDS)
const extractor = new WorkerTextExtractor({ maxMemoryMb: 400, pieceTimeoutMs: 60_000, fileTimeoutMs: 120_000 })

afterAll(async () => {
  await extractor.close()
})

const BOMBS: readonly (readonly [string, string, Buffer])[] = [
  [
    'zip.docx',
    'ERR_EXTRACTION_LIMIT',
    docxOf({ data: deflatedMegabytes(1_024, BEFORE_TEXT, AFTER_TEXT), isDeflated: true, statedSize: 1_024 * MB }),
  ],
  [
    'xml.docx',
    'ERR_CORRUPT_FILE',
    docxOf({
      data: Buffer.from(`<!DOCTYPE d [<!ENTITY a "${'b'.repeat(MB)}">]><w:document>${'&a;'.repeat(MB)}</w:document>`),
    }),
  ],
  ['text.docx', 'read', docxOf({ data: bodyOf('a '.repeat(10 * MB)), isStored: true })],
  ['objects.pdf', 'ERR_EXTRACTION_LIMIT', objectStreamBomb(1_000)],
  ['content.pdf', 'ERR_EXTRACTION_LIMIT', onePage(stream(zlibMegabytes(1_000), '/Filter/FlateDecode'))],
]

/** Discards the text on arrival, because storing it is not the extractor's task. */
async function outcomeOf(name: string, bytes: Buffer): Promise<string> {
  try {
    for await (const _ of extractor.extract(sourceOf(name, bytes)));
    return 'read'
  } catch (error) {
    return (error as { readonly code?: string }).code ?? 'no code'
  }
}

async function collectGarbage(): Promise<void> {
  globalThis.gc?.()
  await sleep(50)
  globalThis.gc?.()
}

/** Watches the peak memory of this process, including garbage that is not collected yet. */
function watchMemory(): { readonly end: () => number } {
  let most = 0
  const timer = setInterval(() => {
    most = Math.max(most, usedMemory())
  }, 10)
  return {
    end: () => {
      clearInterval(timer)
      return Math.max(most, usedMemory())
    },
  }
}

// U7, U8
describe('the host', () => {
  it('is not affected by bombs: its heap stays small and its event loop runs', async () => {
    const round = async (): Promise<void> => {
      for (const [name, code, bytes] of BOMBS) expect([name, await outcomeOf(name, bytes)]).toEqual([name, code])
    }
    await round()
    await collectGarbage()
    const before = usedMemory()
    const works: number[] = []
    while (works.length < LEAST_ROUNDS || (works.length < MOST_ROUNDS && Math.min(...works) >= 50)) {
      await collectGarbage()
      const memory = watchMemory()
      const stops = new LoopStops()
      await round()
      stops.end()
      expect(memory.end() - before).toBeLessThan(64 * MB)
      works.push(stops.longestWorkAtFullSpeedMs)
    }
    // Computing time of this thread. A shared machine may include some time of other programs.
    expect(Math.max(...works)).toBeLessThan(250)
    expect(Math.min(...works)).toBeLessThan(50)
  }, 300_000)
})
