import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../../../../adapters/text-extraction/extraction-limits.js'
import { WorkerTextExtractor, type WorkerTextExtractorOptions } from '../../../../adapters/text-extraction/index.js'
import { ExtractionProcess } from '../../../../adapters/text-extraction/processes/extraction-process.js'
import { ProcessStarter } from '../../../../adapters/text-extraction/processes/process-starter.js'
import { boundedPieces } from '../../../../adapters/text-extraction/readers/reader.js'
import type { ReaderPiece } from '../../../../adapters/text-extraction/readers/reader-piece.js'
import { errorReason } from '../../../../src/ports/index.js'
import { extracted, sourceOf } from '../../../extracted.js'
import { read } from '../hostile/reading.js'

const WORKER = new URL('../../../fixtures/bomb-worker.mjs', import.meta.url)
const LIMITS = { ...DEFAULT_LIMITS, maxHeapMb: 128, maxMemoryMb: 300, pieceTimeoutMs: 40_000 }

const starters: ProcessStarter[] = []
const extractors: WorkerTextExtractor[] = []
// Also after a failure: a process that is left over would fail the tests after it, which count processes.
afterEach(async () => {
  await Promise.all([...starters.splice(0), ...extractors.splice(0)].map((each) => each.close()))
})

function openExtractor(options?: WorkerTextExtractorOptions): WorkerTextExtractor {
  const extractor = new WorkerTextExtractor(options)
  extractors.push(extractor)
  return extractor
}

function start(): ProcessStarter {
  const starter = new ProcessStarter(LIMITS, WORKER)
  starters.push(starter)
  return starter
}

async function run(process: ExtractionProcess, deed: string): Promise<void> {
  const source = {
    fileName: deed,
    sizeBytes: 1,
    open: async function* () {
      yield Buffer.from('x')
    },
  }
  for await (const _ of process.extract(source, undefined));
}

/** Extraction processes and their starters among the descendants of a process. Default: this process. */
function descendants(of: number = process.pid): string[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).trim().split('\n')
  const rows = lines.map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line)?.slice(1) ?? [])
  const below = new Set([String(of)])
  for (let before = 0; before < below.size; ) {
    before = below.size
    for (const [pid = '', parent = ''] of rows) if (below.has(parent)) below.add(pid)
  }
  return rows
    .filter(([pid = '', , args = '']) => below.has(pid) && args.includes('extraction-'))
    .map(([pid = '']) => pid)
}

describe('a source that never answers', () => {
  const silent = {
    'from the first piece on': async function* () {
      yield await new Promise<Buffer>(() => undefined)
    },
    'after its first piece': async function* () {
      yield Buffer.from('First. ')
      yield await new Promise<Buffer>(() => undefined)
    },
  }

  it.each(Object.entries(silent))('%s causes a transient error, and the next file is read', async (_when, open) => {
    // The start of the process counts too: on a busy machine it takes seconds.
    const extractor = openExtractor({ pieceTimeoutMs: 10_000 })
    const began = performance.now()
    const reading = extracted(extractor, { fileName: 'a.txt', sizeBytes: 100, open })
    await expect(reading).rejects.toMatchObject({ code: 'ERR_STORAGE', isTransient: true })
    expect(performance.now() - began).toBeLessThan(30_000)
    expect(await extracted(extractor, sourceOf('b.txt', Buffer.from('Next.')))).toMatchObject({ text: 'Next.' })
    await extractor.close()
  })
})

describe('a source that never closes', () => {
  it('delays neither the text nor the next file for long', async () => {
    const extractor = openExtractor({ pieceTimeoutMs: 6_000 })
    const open = (): AsyncIterable<Uint8Array> => {
      const pieces = [Buffer.from('First.')]
      const next = async (): Promise<IteratorResult<Uint8Array>> => {
        const value = pieces.shift()
        return value === undefined ? { done: true, value } : { done: false, value }
      }
      return { [Symbol.asyncIterator]: () => ({ next, return: () => new Promise(() => undefined) }) }
    }
    const began = performance.now()
    expect(await extracted(extractor, { fileName: 'a.txt', sizeBytes: 6, open })).toMatchObject({ text: 'First.' })
    expect(performance.now() - began).toBeLessThan(20_000)
    expect(await extracted(extractor, sourceOf('b.txt', Buffer.from('Next.')))).toMatchObject({ text: 'Next.' })
    await extractor.close()
  })
})

// U8
describe('an extraction thread that consumes all resources', () => {
  it.each([
    ['objects on the heap', 'ERR_EXTRACTION_LIMIT'],
    ['an array that grows', 'ERR_EXTRACTION_LIMIT'],
    ['a map that grows', 'ERR_EXTRACTION_LIMIT'],
    ['a string without end', 'ERR_EXTRACTION_LIMIT'],
    ['a string in letters', 'ERR_EXTRACTION_LIMIT'],
    ['buffers', 'ERR_EXTRACTION_LIMIT'],
    ['one array buffer', 'ERR_EXTRACTION_LIMIT'],
    ['recursion without end', 'ERR_CORRUPT_FILE'],
    ['a rejection that nobody hears', 'ERR_CORRUPT_FILE'],
    ['an exit', 'ERR_CORRUPT_FILE'],
    ['an endless loop', 'ERR_EXTRACTION_TIMEOUT'],
    ['silence', 'ERR_EXTRACTION_TIMEOUT'],
  ])('ends together with its own process only: %s', async (deed, code) => {
    const starter = start()
    const other = new ExtractionProcess(starter, LIMITS)
    const isWaitedFor = code === 'ERR_EXTRACTION_TIMEOUT'
    const hostile = new ExtractionProcess(starter, isWaitedFor ? { ...LIMITS, pieceTimeoutMs: 2_000 } : LIMITS)
    await expect(run(hostile, deed)).rejects.toMatchObject({ code })
    expect(hostile.isSpent).toBe(true)
    await run(other, 'fine')
    expect(other.isSpent).toBe(false)
    expect(descendants()).toHaveLength(2)
  })

  it('is distinguished from a process that another program killed, whose file may be retried', async () => {
    const starter = start()
    const reading = new ExtractionProcess(starter, LIMITS)
    await run(reading, 'fine')
    const [, child = ''] = descendants()
    setTimeout(() => process.kill(Number(child), 'SIGKILL'), 200)
    const error: unknown = await run(reading, 'silence').catch((reason: unknown) => reason)
    expect(error).not.toHaveProperty('code')
    expect(String(error)).toContain('SIGKILL')
  })
})

describe('an extraction process that ends while its file uses much memory', () => {
  async function grown(): Promise<{ reading: ExtractionProcess; child: string; ended: Promise<unknown> }> {
    const starter = start()
    const reading = new ExtractionProcess(starter, LIMITS)
    await run(reading, 'fine')
    const [, child = ''] = descendants()
    const ended = run(reading, 'much, and silence').catch((reason: unknown) => reason)
    const megabytes = (): number =>
      Number(execFileSync('ps', ['-o', 'rss=', '-p', child], { encoding: 'utf8' })) / 1_024
    await expect.poll(megabytes, { timeout: 20_000 }).toBeGreaterThan(LIMITS.maxMemoryMb * 0.65)
    // The process checks its own memory several times in this period.
    await sleep(500)
    return { reading, child, ended }
  }

  it('counts as out of memory if the system killed it, and the file is rejected', async () => {
    const { child, ended } = await grown()
    process.kill(Number(child), 'SIGKILL')
    expect(await ended).toMatchObject({
      code: 'ERR_EXTRACTION_LIMIT',
      message: expect.stringContaining('than the machine has') as string,
    })
  })

  it('lets its file be retried if the extractor was closed or the starter ended', async () => {
    const closed = await grown()
    await closed.reading.terminate()
    expect(await closed.ended).not.toHaveProperty('code')
    await starters.splice(0).at(0)?.close()
    const orphaned = await grown()
    await starters.splice(0).at(0)?.close()
    expect(await orphaned.ended).not.toHaveProperty('code')
  })
})

describe('extraction processes', () => {
  it.skipIf(process.platform !== 'linux')(
    'are killed before their host when the system runs out of memory',
    async () => {
      await run(new ExtractionProcess(start(), LIMITS), 'fine')
      const [starter = '', child = ''] = descendants()
      const scoreOf = async (pid: string): Promise<number> =>
        Number(await readFile(`/proc/${pid}/oom_score_adj`, 'utf8'))
      expect(await scoreOf(child)).toBe(1_000)
      expect(await scoreOf(starter)).toBe(await scoreOf('self'))
    },
  )

  it('end together with their starter', async () => {
    const starter = start()
    await run(new ExtractionProcess(starter, LIMITS), 'fine')
    expect(descendants()).toHaveLength(2)
    await starter.close()
    await expect.poll(descendants, { timeout: 10_000 }).toEqual([])
  })

  it('end when their host is killed, even if they are busy', async () => {
    const module = new URL('../../../../dist/adapters/text-extraction/index.js', import.meta.url).href
    const program = `import { WorkerTextExtractor } from '${module}'
      const open = async function* () { for (;;) yield Buffer.alloc(60_000, 'a ') }
      for await (const _ of new WorkerTextExtractor().extract({ fileName: 'a.csv', sizeBytes: 1e9, open }));`
    const host = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' })
    const isBusy = (): boolean => descendants(host.pid).length === 2
    await expect.poll(isBusy, { timeout: 20_000 }).toBe(true)
    const pids = descendants(host.pid)
    host.kill('SIGKILL')
    await once(host, 'exit')
    const isThere = (pid: string): boolean => {
      try {
        return process.kill(Number(pid), 0)
      } catch {
        return false
      }
    }
    await expect.poll(() => pids.filter(isThere), { timeout: 20_000 }).toEqual([])
  })

  it('do not keep a host alive that has finished its work', async () => {
    const module = new URL('../../../../dist/adapters/text-extraction/index.js', import.meta.url).href
    const program = `import { WorkerTextExtractor } from '${module}'
      const open = async function* () { yield Buffer.from('text') }
      for await (const { text } of new WorkerTextExtractor().extract({ fileName: 'a.txt', sizeBytes: 4, open })) console.log(text)`
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      timeout: 30_000,
      encoding: 'utf8',
    })
    expect(output).toBe('text\n')
  })

  it('are started again after their starter was killed', async () => {
    const extractor = openExtractor()
    expect((await read(extractor, 'a.txt', Buffer.from('one'))).text).toBe('one')
    const [starter = ''] = descendants()
    process.kill(Number(starter), 'SIGKILL')
    await expect.poll(descendants, { timeout: 10_000 }).toEqual([])
    const second = async (): Promise<unknown> => (await read(extractor, 'a.txt', Buffer.from('two'))).text
    await expect.poll(second, { timeout: 10_000 }).toBe('two')
    await extractor.close()
    await expect.poll(descendants, { timeout: 10_000 }).toEqual([])
  })

  it('end when they are idle, and the next file starts another', async () => {
    const extractor = openExtractor({ maxIdleMs: 20 })
    expect((await read(extractor, 'a.txt', Buffer.from('one'))).text).toBe('one')
    await expect.poll(descendants, { timeout: 10_000 }).toHaveLength(1)
    expect((await read(extractor, 'a.txt', Buffer.from('two'))).text).toBe('two')
    await extractor.close()
    await expect.poll(descendants, { timeout: 10_000 }).toEqual([])
  })

  it('do not grow in number over a hundred files, half of them hostile or aborted', async () => {
    const extractor = openExtractor()
    await read(extractor, 'a.txt', Buffer.from('text'))
    const listeners = process.eventNames().map((name) => process.listenerCount(name))
    const abort = new AbortController()
    for (let round = 0; round < 25; round += 1) {
      await read(extractor, 'a.txt', Buffer.from('text'))
      await read(extractor, 'a.docx', Buffer.from('PK\x03\x04 is not a zip'))
      const source = {
        fileName: 'a.txt',
        sizeBytes: 600_000,
        open: async function* () {
          yield Buffer.alloc(600_000, 'a')
        },
      }
      if (round % 5 === 0) for await (const _ of extractor.extract(source, { signal: abort.signal })) break
    }
    expect(descendants()).toHaveLength(2)
    expect(process.eventNames().map((name) => process.listenerCount(name))).toEqual(listeners)
    await extractor.close()
    await expect.poll(descendants, { timeout: 10_000 }).toEqual([])
  })
})

describe('the text of a file', () => {
  async function collect(
    pieces: readonly ReaderPiece[],
    sizeBytes = 1_000,
    maxCharacters = 1_000_000,
  ): Promise<ReaderPiece[]> {
    const source = async function* () {
      yield* pieces
    }
    const collected: ReaderPiece[] = []
    for await (const piece of boundedPieces(source(), sizeBytes, maxCharacters)) collected.push(piece)
    return collected
  }

  it('arrives in pieces of limited size, with the page and the warnings on the last one', async () => {
    const text = `${'a'.repeat(131_071)}${'😀'.repeat(200_000)}`
    const pieces = await collect([{ text, pages: 3, warnings: [{ message: 'odd' }] }])
    expect(pieces.map((piece) => piece.text).join('')).toBe(text)
    expect(Math.max(...pieces.map((piece) => piece.text.length))).toBeLessThanOrEqual(131_072)
    expect(pieces.every((piece) => piece.text.isWellFormed())).toBe(true)
    expect(pieces.at(-1)).toMatchObject({ pages: 3, warnings: [{ message: 'odd' }] })
    expect(pieces.slice(0, -1).every(({ pages, warnings }) => pages === undefined && warnings === undefined)).toBe(true)
  })

  it('has at most a hundred warnings and a count of the others', async () => {
    const pages = Array.from({ length: 1_000 }, (_, at) => ({
      text: 'x',
      pages: at,
      warnings: [
        { message: `page ${at}`, reason: errorReason('page-damaged', { page: at }) },
        { message: 'w'.repeat(9_000) },
      ],
    }))
    const warnings = (await collect(pages)).flatMap((piece) => piece.warnings ?? [])
    expect(warnings).toHaveLength(101)
    const pageOf = (page: number) => ({
      message: `page ${page}`,
      reason: { code: 'page-damaged', parameters: { page } },
    })
    expect(warnings.slice(0, 3)).toEqual([pageOf(0), { message: `${'w'.repeat(500)}…` }, pageOf(1)])
    expect(warnings.at(-1)).toEqual({
      message: '… and 1,900 more',
      reason: { code: 'more-warnings', parameters: { count: 1_900 } },
    })
  })

  it('is rejected if it is longer than a file of its size can contain', async () => {
    const megabyte = { text: 'a'.repeat(1_048_576) }
    const all = (count: number): ReaderPiece[] => Array.from({ length: count }, () => megabyte)
    await expect(collect(all(17), 10, 1_000_000_000)).rejects.toMatchObject({ code: 'ERR_EXTRACTION_LIMIT' })
    await expect(collect(all(17), 10_000, 1_000_000_000)).resolves.toHaveLength(17 * 8)
    await expect(collect(all(6), 10_000, 5_000_000)).rejects.toThrow('more than 5 million characters')
    await expect(collect(all(6), 1_000_000, 5_000_000)).resolves.toHaveLength(6 * 8)
  })

  it('is not read if the file exceeds the size limit of its format', async () => {
    const extractor = openExtractor({ maxWholeFileMb: 1 })
    const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(1_048_576)])
    const outcome = await read(extractor, 'a.pdf', bytes)
    expect(outcome).toMatchObject({
      code: 'ERR_EXTRACTION_LIMIT',
      message: 'A .pdf file may have at most 1 MB: split it',
    })
    expect((await read(extractor, 'a.txt', Buffer.alloc(1_048_577, 'a'))).text).toHaveLength(1_048_577)
    await extractor.close()
  })
})
