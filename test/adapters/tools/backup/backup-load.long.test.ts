import { once } from 'node:events'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KnexStorage, openSqlite } from '../../../../adapters/knex/index.js'
import { backupDataDir, openLocalEngine, restoreDataDir } from '../../../../adapters/local/index.js'
import type { Engine } from '../../../../src/index.js'
import { sized } from '../../../full-form.js'
import { SEED, seededRandom } from '../../../seeded-random.js'
import { temporaryFolder } from '../../../temporary-folder.js'
import { startAlcove } from '../../cli/run-alcove.js'
import { expectWhole, type Load, startLoad } from './backup-load.js'

const random = seededRandom(SEED)

const BACKUPS = sized(2, 3)
const KILLS = sized(2, 4)

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string
let load: Load

beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder.path, 'data')
  load = startLoad(dataDir)
  await load.reach(15)
})

afterEach(async () => {
  load.child.kill('SIGKILL')
  await folder.remove()
})

// K
describe('a backup beside an engine that uploads, deletes and searches without a pause', () => {
  it('is restored to a folder in which every document is complete, and searches match the source', async () => {
    const files: string[] = []
    for (let round = 0; round < BACKUPS; round += 1) {
      const file = join(folder.path, `${round}.tar`)
      const made = await backupDataDir({ dataDir, file })
      expect(made).toMatchObject({ documentsWithoutFile: [], documentsWithOtherBytes: [], documentsWithoutVectors: [] })
      files.push(file)
      await load.goOn()
    }
    await load.stop()
    const source = await openLocalEngine({ dataDir, roles: ['ingest'] })
    let compared = 0
    for (const [round, file] of files.entries()) {
      const restored = join(folder.path, `restored-${round}`)
      await restoreDataDir({ dataDir: restored, file })
      await expectWhole(restored)
      compared += await expectSameAnswers(source, restored)
      await rm(restored, { recursive: true })
    }
    await source.close()
    expect(compared).toBeGreaterThan(10)
    expect(await unfinished()).toEqual([])
  }, 180_000)

  it('may be killed: the engine continues, purges run, and the next backup is complete', async () => {
    const file = join(folder.path, 'backup.tar')
    const storage = new KnexStorage({ knex: openSqlite(join(dataDir, 'alcove.sqlite')) })
    await storage.open()
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { child, outcome } = startAlcove(['--data-dir', dataDir, 'backup', file], { cwd: folder.path })
      while (child.exitCode === null && (await unfinished()).length === 0) await setTimeout(2)
      await setTimeout(random() * 400)
      child.kill('SIGKILL')
      const { exitCode, stderr } = await outcome
      // The process was killed, or had finished before.
      if (exitCode !== null) expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
      await rm(file, { force: true })
      await load.goOn()
      // The killed backup's lease runs out; the test waits for the last one's.
      if (kill < KILLS - 1) await storage.transaction(({ jobs }) => jobs.releaseAll(['backup']))
    }
    await storage.close()
    for (;;) {
      const refused = await backupDataDir({ dataDir, file }).catch((error: unknown) => error)
      if (!(refused instanceof Error)) break
      expect(refused).toMatchObject({ code: 'ERR_BACKUP_RUNNING' })
      await setTimeout(500)
    }
    await load.goOn()
    expect(await unfinished()).toEqual([])
    await load.stop()
    const restored = join(folder.path, 'restored')
    await restoreDataDir({ dataDir: restored, file })
    await expectWhole(restored)
    expect((await readdir(folder.path)).filter((name) => name.includes('partial'))).toEqual([])

    // No data of deleted documents stays, and no data of the backups.
    const { child } = startAlcove(['--data-dir', dataDir, 'backup', join(folder.path, 'last.tar')], {
      cwd: folder.path,
    })
    while ((await unfinished()).length === 0) await setTimeout(2)
    child.kill('SIGKILL')
    await once(child, 'close')
    const knex = openSqlite(join(dataDir, 'alcove.sqlite'))
    await knex('alcove_jobs').where({ kind: 'backup' }).update({ lease_expires_ms: 0 })
    await knex.destroy()
    await expectWhole(dataDir, { isRestored: false })
    expect(await unfinished()).toEqual([])
  }, 180_000)
})

/**
 * Searches a restored folder and its source for each document that both have.
 * @returns the number of these documents
 */
async function expectSameAnswers(source: Engine, restored: string): Promise<number> {
  const engine = await openLocalEngine({ dataDir: restored, roles: ['ingest'] })
  const [ours, theirs] = [source.as(source.owner), engine.as(engine.owner)]
  const there = new Map((await ours.documents.list(1)).map(({ fileName, completed }) => [fileName, completed]))
  let compared = 0
  for (const { id, fileName, completed } of await theirs.documents.list(1)) {
    const chunks = await theirs.documents.chunks(fileName)
    const prompt = chunks[0]?.content ?? ''
    const options = { topN: 100, scoreThreshold: 0 }
    const found = (await theirs.search(1, prompt, options)).filter(({ docId }) => docId === id)
    expect(found[0]).toMatchObject({ content: prompt })
    expect(found[0]?.similarity).toBeGreaterThan(0.95)
    if (!there.has(fileName)) continue
    const expected = await ours.documents.chunks(fileName)
    // The restored engine processes an unfinished document itself, so its chunks have other ids there.
    const isSameWork = completed === there.get(fileName)
    expect(chunks).toEqual(expected.map((chunk, at) => (isSameWork ? chunk : { ...chunk, id: chunks[at]?.id })))
    compared += 1
  }
  await engine.close()
  return compared
}

async function unfinished(): Promise<readonly string[]> {
  return (await readdir(dataDir)).filter((name) => name.startsWith('unfinished'))
}
