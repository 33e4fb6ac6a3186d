import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { backupDataDir, openLocalEngine, restoreDataDir } from '../../../../adapters/local/index.js'
import { sized } from '../../../full-form.js'
import { SEED, seededRandom } from '../../../seeded-random.js'
import { temporaryFolder } from '../../../temporary-folder.js'
import { startAlcove } from '../../cli/run-alcove.js'
import { archiveOf, type Entry, entriesOf } from './backup-archives.js'

const random = seededRandom(SEED)

const KILLS = sized(3, 6)
/** The number of moves: the database's id, the keys, the vectors and the database. */
const MOVES = 4
const KILLED_AT_RENAME = pathToFileURL(join(import.meta.dirname, '../../../fixtures/killed-at-rename.mjs')).href

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let entries: readonly Entry[]
let file: string
let place: string
let dataDir: string

beforeAll(async () => {
  folder = await temporaryFolder()
  const source = join(folder.path, 'source')
  await (await openLocalEngine({ dataDir: source, roles: [] })).close()
  file = join(folder.path, 'backup.tar')
  await backupDataDir({ dataDir: source, file })
  const many = Array.from({ length: 150 }, (_, at): Entry => {
    return { path: `vectors/a.lance/data/${at}.lance`, content: Buffer.alloc(10_000 + at, at) }
  })
  entries = [...entriesOf(await readFile(file)), ...many]
  await writeFile(file, archiveOf(entries))
  place = join(folder.path, 'place')
  dataDir = join(place, 'data')
})

afterEach(async () => {
  await rm(place, { recursive: true, force: true })
})

afterAll(async () => {
  await folder.remove()
})

// K
describe.each(['a new folder', 'an empty folder'])('a restore to %s', (where) => {
  const isThere = where === 'an empty folder'

  it('may be killed at any moment: the next restore finds the folder free, and no unfinished files stay', async () => {
    const around = isThere ? dataDir : place
    await mkdir(around, { recursive: true })
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { child, outcome } = startAlcove(['restore', file, '--data-dir', dataDir], { cwd: folder.path })
      const before = await unfinishedIn(around)
      while (child.exitCode === null && !(await unfinishedIn(around)).some((name) => !before.includes(name))) {
        await setTimeout(1)
      }
      await setTimeout(random() * 300)
      child.kill('SIGKILL')
      const { exitCode, stderr } = await outcome
      if (exitCode === null && !(await hasDatabase())) continue
      // The restore had finished, or nearly.
      if (exitCode !== null) expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
      await expectWhole()
      await rm(dataDir, { recursive: true })
      if (isThere) await mkdir(dataDir)
    }
    await restoreDataDir({ dataDir, file })
    await expectWhole()
    expect(await unfinishedIn(around)).toEqual([])
  }, 180_000)

  it('ignores another restore that is in progress', async () => {
    const around = isThere ? dataDir : place
    await mkdir(around, { recursive: true })
    const { child } = startAlcove(['restore', file, '--data-dir', dataDir], { cwd: folder.path })
    const closed = once(child, 'close')
    const isWriting = async (): Promise<boolean> => {
      const [name = 'none'] = await unfinishedIn(around)
      return (await readdir(join(around, name, 'content')).catch(() => [])).length > 0
    }
    while (!(await isWriting())) await setTimeout(1)
    child.kill('SIGSTOP')
    const other = isThere ? dataDir : join(place, 'other')
    const outcome = await restoreDataDir({ dataDir: other, file }).catch((error: unknown) => error)
    if (isThere) expect(outcome).toMatchObject({ code: 'ERR_DATA_DIR_UNUSABLE' })
    child.kill('SIGCONT')
    await closed
    expect(child.exitCode).toBe(0)
    await expectWhole()
    expect(await unfinishedIn(around)).toEqual([])
  })
})

// K
describe('a restore to an empty folder that is killed while it moves its files into place', () => {
  it.each(Array.from({ length: MOVES }, (_, at) => at))('can be repeated after a kill before move %i', async (at) => {
    await mkdir(dataDir, { recursive: true })
    const env = { NODE_OPTIONS: `--import ${KILLED_AT_RENAME}`, ALCOVE_TEST_KILLED_AT_RENAME: String(at) }
    const { child, outcome } = startAlcove(['restore', file, '--data-dir', dataDir], { cwd: folder.path, env })
    await outcome
    expect(child.signalCode).toBe('SIGKILL')
    expect((await readdir(dataDir)).filter((name) => !name.startsWith('.'))).toHaveLength(at)
    // No engine opens the incomplete folder as a data folder.
    if (at > 1) await expect(openLocalEngine({ dataDir })).rejects.toMatchObject({ code: 'ERR_DATA_DIR_MISMATCH' })
    await restoreDataDir({ dataDir, file })
    await expectWhole()
    expect(await unfinishedIn(dataDir)).toEqual([])
  })

  it('is not repeated in a folder that contains other files', async () => {
    await mkdir(dataDir, { recursive: true })
    const env = { NODE_OPTIONS: `--import ${KILLED_AT_RENAME}`, ALCOVE_TEST_KILLED_AT_RENAME: '2' }
    await startAlcove(['restore', file, '--data-dir', dataDir], { cwd: folder.path, env }).outcome
    await writeFile(join(dataDir, 'mine'), '')
    const before = await readdir(dataDir)
    await expect(restoreDataDir({ dataDir, file })).rejects.toMatchObject({ code: 'ERR_DATA_DIR_UNUSABLE' })
    expect(await readdir(dataDir)).toEqual(before)
  })
})

async function unfinishedIn(path: string): Promise<readonly string[]> {
  return (await readdir(path).catch(() => [])).filter((name) => name.startsWith('.unfinished'))
}

async function hasDatabase(): Promise<boolean> {
  return await stat(join(dataDir, 'alcove.sqlite')).then(
    () => true,
    () => false,
  )
}

/** No other process may use the database, which this function opens to check it. */
async function expectWhole(): Promise<void> {
  for (const { path, content } of entries.slice(1)) {
    if (path === 'alcove.sqlite') continue
    expect((await readFile(join(dataDir, path))).equals(Buffer.from(content ?? '')), path).toBe(true)
  }
  await (await openLocalEngine({ dataDir, roles: [], isWorking: false })).close()
}
