import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openSqlite } from '../../adapters/knex/index.js'
import { LanceDbVectorIndex } from '../../adapters/lancedb/index.js'
import { openLocalEngine } from '../../adapters/local/index.js'
import { IS_FULL_FORM, sized } from '../full-form.js'
import { temporaryFolder } from '../temporary-folder.js'

interface Message {
  readonly uuid?: string
  readonly windowsEmbedded?: number
  readonly chunks?: number
}

const ROUNDS = sized(3, 5)
const SENTENCES = 5_000
const TEXT = Array.from(
  { length: SENTENCES },
  (_, number) =>
    `Item ${number} of the inventory is a ${['lamp', 'chair', 'map', 'clock'][number % 4] ?? ''} from room ${number * 7}. `,
).join('')

describe('a process that is killed', () => {
  it.runIf(IS_FULL_FORM)(
    'while it ingests leaves its progress to the next start, which completes the whole document',
    async () => {
      const folder = await temporaryFolder()
      const dataDir = join(folder.path, 'data')
      const file = join(folder.path, 'inventory.txt')
      await writeFile(file, TEXT)

      const first = start(dataDir, file)
      const uuid = await first.until(({ uuid: started }) => started)
      // More text than one write has, so that some of it is on the disk.
      await first.until(({ windowsEmbedded = 0 }) => (windowsEmbedded > 1_100 ? true : undefined))
      first.child.kill('SIGKILL')
      await once(first.child, 'exit')

      const engine = await openLocalEngine({ dataDir })
      const session = engine.as(engine.owner)
      const firstProgress = new Promise<number>((resolve) => {
        engine.on('document.progress', ({ windowsEmbedded }) => {
          resolve(windowsEmbedded)
        })
      })
      const document = await session.documents.whenProcessed(uuid)
      expect(await firstProgress).toBeGreaterThan(1_024)

      const chunks = await session.documents.chunks(uuid)
      expect(document.chunks).toBe(chunks.length)
      expect(chunks.map(({ ordinal }) => ordinal)).toEqual(chunks.map((_, index) => index))
      expect(sameText(chunks.map(({ content }) => content).join(' '), TEXT)).toBe(true)
      for (const chunk of [chunks[0], chunks[Math.floor(chunks.length / 2)], chunks.at(-1)]) {
        const results = await session.search(document.contextId, chunk?.content ?? '')
        expect(results.map(({ id }) => id)).toContain(chunk?.id)
        expect(results[0]?.similarity).toBeGreaterThan(0.95)
      }
      await engine.close()

      const index = new LanceDbVectorIndex(join(dataDir, 'vectors'))
      const [collection = ''] = await index.listCollections()
      const windows = chunks.length
      expect([...(await index.countByDocument(collection))]).toEqual([[document.id, windows]])
      await index.close()
      await folder.remove()
    },
    180_000,
  )

  it('at random points of ingestion, many times, loses and duplicates nothing', async () => {
    const folder = await temporaryFolder()
    const dataDir = join(folder.path, 'data')
    const file = join(folder.path, 'inventory.txt')
    await writeFile(file, TEXT.slice(0, 40_000))
    for (let round = 0; round < ROUNDS; round += 1) {
      const { child } = start(dataDir, file)
      await new Promise((resolve) => setTimeout(resolve, 300 + round * 400))
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
    const last = start(dataDir, file)
    const chunks = await last.until(({ chunks: completed }) => completed)
    await once(last.child, 'exit')

    const engine = await openLocalEngine({ dataDir })
    const session = engine.as(engine.owner)
    const [context] = await session.contexts.list()
    const documents = await session.documents.list(context?.id ?? 0)
    expect(documents).toHaveLength(1)
    expect(documents[0]).toMatchObject({ chunks, error: null })
    const contents = (await session.documents.chunks(documents[0]?.fileName ?? '')).map(({ content }) => content)
    expect(sameText(contents.join(' '), TEXT.slice(0, 40_000))).toBe(true)
    await engine.close()
    await folder.remove()
  }, 180_000)
})

describe('a document that kills the process', () => {
  it('runs alone, later in each life of the process, fails for good, and affects no other document', async () => {
    const folder = await temporaryFolder()
    const run = async () => {
      const child = fork(join(import.meta.dirname, 'poison-child.mjs'), [folder.path], { stdio: 'inherit' })
      let message: unknown
      let began = performance.now()
      child.on('message', (sent) => {
        if (sent === 'ready') began = performance.now()
        else message = sent
      })
      await once(child, 'exit')
      return { signal: child.signalCode, message, livedMs: performance.now() - began }
    }
    for (const leastMs of [0, 0, 2_000, 5_000]) {
      const { signal, livedMs } = await run()
      expect(signal).toBe('SIGKILL')
      expect(livedMs).toBeGreaterThan(leastMs - 100)
    }
    // Two more crashes follow; one more round of this kind would take a minute.
    const knex = openSqlite(join(folder.path, 'test.sqlite'))
    expect(await knex('alcove_jobs').where('kind', 'ingest-document').update({ claims: 6 })).toBe(1)
    await knex.destroy()
    expect(await run()).toMatchObject({
      signal: null,
      message: [
        { originalName: 'harmless.txt', completed: expect.any(String) as string, error: null },
        {
          originalName: 'poison.txt',
          completed: null,
          error: 'The process crashed 6 times while it worked on this, and made no progress (ERR_CRASHED)',
        },
      ],
    })
    await folder.remove()
  })
})

/** Compares long texts without printing them. */
function sameText(one: string, other: string): boolean {
  return one.trim() === other.trim()
}

/** Starts a child that ingests; `until` waits for the first message for which it returns a value. */
function start(dataDir: string, file: string) {
  const child: ChildProcess = fork(join(import.meta.dirname, 'ingest-child.mjs'), [dataDir, file], { stdio: 'inherit' })
  const messages: Message[] = []
  child.on('message', (message: Message) => messages.push(message))
  return {
    child,
    until: async <T>(pick: (message: Message) => T | undefined): Promise<T> => {
      for (;;) {
        for (const message of messages) {
          const picked = pick(message)
          if (picked !== undefined) return picked
        }
        if (child.exitCode !== null) throw new Error(`the child ended with ${child.exitCode}`)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
  }
}
