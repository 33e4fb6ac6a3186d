import { open as openFile, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TelemetryEvent } from '../../../src/ports/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { examine, fill, find, firstByWords, LEAVE, repair, WORDS, withEngine } from '../doctor/doctor-folder.js'
import { NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

const SHELF = 'Shelf 33 holds jar number 231'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string
let file: string

beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder.path, 'data')
  await fill(dataDir)
  file = join(dataDir, 'words', `${WORDS}.sqlite`)
})

afterEach(async () => {
  await folder.remove()
})

async function zero(from: number, bytes: number): Promise<void> {
  const handle = await openFile(file, 'r+')
  await handle.write(Buffer.alloc(bytes), 0, bytes, from)
  await handle.close()
}

describe('words whose file is damaged while no engine uses it', () => {
  it.each<[string, () => Promise<void>]>([
    ['has a zeroed block', async () => await zero(8_192, 4_096)],
    ['is cut', async () => await truncate(file, (await stat(file)).size - 4_096)],
    ['is no database', async () => await zero(0, 100)],
    ['is gone', async () => await rm(file)],
  ])(
    'are built again by a running engine if the file %s, and searches by meaning answer all the time',
    async (_what, damage) => {
      await damage()
      const records: TelemetryEvent[] = []
      const telemetry = { record: (record: TelemetryEvent) => void records.push(record) }
      await withEngine(dataDir, { telemetry }, async (engine) => {
        const [first] = await engine.as(engine.owner).search(1, SHELF)
        expect(first?.content).toContain(SHELF)
        const byWords = async (prompt: string): Promise<string> => {
          return (await firstByWords(engine, prompt).catch(() => undefined)) ?? ''
        }
        await expect.poll(async () => await byWords(SHELF), { timeout: 20_000 }).toContain(SHELF)
        await expect.poll(async () => await byWords(LEAVE), { timeout: 20_000 }).toContain('eighteen weeks')
      })
      expect(records.map(({ name }) => name)).toContain('words.mending')
      expect((await examine(dataDir)).problems).toEqual([])
    },
  )

  it('are an error with a code for a search by words alone, until they are built again', async () => {
    await zero(8_192, 4_096)
    await withEngine(dataDir, { isWorking: false }, async (engine) => {
      const search = engine.as(engine.owner).search(1, SHELF, { mode: 'keyword' })
      await expect(search).rejects.toMatchObject({ code: 'ERR_VECTORS_DAMAGED' })
    })
  })

  it('do not fail a document that is added: it waits until they are built again', async () => {
    await zero(8_192, 4_096)
    await withEngine(dataDir, {}, async (engine) => {
      const session = engine.as(engine.owner)
      const uuid = await session.documents.upload(1, {
        fileName: 'new.txt',
        content: Buffer.from('The ferry leaves at nine.'),
      })
      await session.documents.whenProcessed(uuid)
      await expect
        .poll(async () => (await firstByWords(engine, 'ferry').catch(() => '')) ?? '', { timeout: 20_000 })
        .toContain('ferry')
    })
    expect((await examine(dataDir)).problems).toEqual([])
  })

  it('are lost with their file: an error by words alone, a warning with meaning, and nothing lost elsewhere', async () => {
    await rm(file)
    const records: TelemetryEvent[] = []
    const telemetry = { record: (record: TelemetryEvent) => void records.push(record) }
    await withEngine(dataDir, { isWorking: false, telemetry }, async (engine) => {
      const session = engine.as(engine.owner)
      const damaged = { code: 'ERR_VECTORS_DAMAGED' }
      await expect(session.search(1, SHELF, { mode: 'keyword' })).rejects.toMatchObject(damaged)
      const filter = { documents: [1] }
      await expect(session.search(1, SHELF, { mode: 'keyword', filter })).rejects.toMatchObject(damaged)
      expect(records.map(({ name }) => name)).not.toContain('search.words.unreadable')
      expect((await session.search(1, SHELF))[0]?.content).toContain(SHELF)
      expect(records.map(({ name }) => name)).toContain('search.words.unreadable')
      expect((await session.search(2, 'leave', { mode: 'keyword' }))[0]?.content).toContain('leave')
      const empty = await session.contexts.create({ ...NEW_CONTEXT, settings: { embeddingModel: 'memory' } })
      for (const mode of ['keyword', 'hybrid', 'semantic'] as const)
        expect(await session.search(empty.id, SHELF, { mode })).toEqual([])
      expect(await session.search(1, SHELF, { mode: 'keyword', filter: { documents: [99] } })).toEqual([])
    })
  })

  it('are built again after the start although a new document has made the file anew', async () => {
    await rm(file)
    await withEngine(dataDir, {}, async (engine) => {
      await uploadText(engine.as(engine.owner), 1, 'new.txt', 'The ferry leaves at nine.')
      await expect
        .poll(async () => (await firstByWords(engine, SHELF).catch(() => '')) ?? '', { timeout: 20_000 })
        .toContain(SHELF)
    })
    expect((await examine(dataDir)).problems).toEqual([])
  })

  it('are built again after the start without a search', async () => {
    await rm(file)
    await withEngine(dataDir, {}, async () => {
      await expect.poll(async () => await stat(file).catch(() => undefined), { timeout: 20_000 }).toBeDefined()
    })
  })
})

describe('vectors whose folder is gone', () => {
  it('are an error for a search by meaning, a reason of an explanation, and are made again by a repair', async () => {
    await rm(join(dataDir, 'vectors'), { recursive: true })
    await withEngine(dataDir, {}, async (engine) => {
      const session = engine.as(engine.owner)
      for (const mode of ['semantic', 'hybrid'] as const) {
        await expect(session.search(1, SHELF, { mode })).rejects.toMatchObject({ code: 'ERR_VECTORS_DAMAGED' })
      }
      const { reasons } = await session.explain(1, SHELF, { mode: 'semantic' })
      expect(reasons.map(({ code }) => code)).toContain('vectors-missing')
    })
    await repair(dataDir)
    expect(await find(dataDir, SHELF)).toContain(SHELF)
  })
})
