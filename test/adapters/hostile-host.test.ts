import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../adapters/text-extraction/index.js'
import { objectStreamBomb, onePage, stream, zlibMegabytes } from './hostile/pdf-writer.js'
import { sourceOf } from './hostile/reading.js'
import { AFTER_TEXT, BEFORE_TEXT, bodyOf, deflatedMegabytes, docxOf } from './hostile/zip-writer.js'

const MB = 1_048_576
const ROUNDS = 3
const extractor = new WorkerTextExtractor({ maxMemoryMb: 400, pieceTimeoutMs: 10_000, fileTimeoutMs: 20_000 })

afterAll(async () => {
  await extractor.close()
})

const BOMBS: readonly (readonly [string, Buffer])[] = [
  [
    'zip.docx',
    docxOf({ data: deflatedMegabytes(1_024, BEFORE_TEXT, AFTER_TEXT), isDeflated: true, statedSize: 1_024 * MB }),
  ],
  [
    'xml.docx',
    docxOf({
      data: Buffer.from(`<!DOCTYPE d [<!ENTITY a "${'b'.repeat(MB)}">]><w:document>${'&a;'.repeat(MB)}</w:document>`),
    }),
  ],
  ['text.docx', docxOf({ data: bodyOf('a '.repeat(10 * MB)), isStored: true })],
  ['objects.pdf', objectStreamBomb(1_000)],
  ['content.pdf', onePage(stream(zlibMegabytes(1_000), '/Filter/FlateDecode'))],
]

/** The text is dropped as it comes: keeping it is not the extractor's part. */
async function outcomeOf(name: string, bytes: Buffer): Promise<string> {
  try {
    for await (const _ of extractor.extract(sourceOf(name, bytes)));
    return 'read'
  } catch (error) {
    return (error as { readonly code?: string }).code ?? 'no code'
  }
}

/**
 * The longest stop of this event loop. A stop in which this process did not run is
 * the machine's, which others keep busy: what counts is the time that it computed.
 */
function watchLoop(): { readonly longestStopMs: () => number } {
  let longest = 0
  let last = performance.now()
  let cpu = process.cpuUsage()
  const timer = setInterval(() => {
    const now = performance.now()
    const { user, system } = process.cpuUsage(cpu)
    longest = Math.max(longest, Math.min(now - last, (user + system) / 1_000))
    last = now
    cpu = process.cpuUsage()
  }, 5)
  return {
    longestStopMs: () => {
      clearInterval(timer)
      return longest
    },
  }
}

describe('U7 U8 the host', () => {
  it('does not feel the bombs that are read: its heap stays, its event loop goes on', async () => {
    const codes = new Set<string>()
    const round = async (): Promise<void> => {
      for (const [name, bytes] of BOMBS) codes.add(await outcomeOf(name, bytes))
    }
    await round()
    const used = async (): Promise<number> => {
      globalThis.gc?.()
      await sleep(50)
      globalThis.gc?.()
      const { heapUsed, external } = process.memoryUsage()
      return heapUsed + external
    }
    const before = await used()
    const stops: number[] = []
    for (let at = 0; at < ROUNDS; at += 1) {
      const watch = watchLoop()
      await round()
      stops.push(watch.longestStopMs())
    }
    expect((await used()) - before).toBeLessThan(64 * MB)
    expect(Math.min(...stops)).toBeLessThan(50)
    expect([...codes]).toEqual(expect.arrayContaining(['ERR_EXTRACTION_LIMIT', 'ERR_CORRUPT_FILE']))
  }, 300_000)
})
