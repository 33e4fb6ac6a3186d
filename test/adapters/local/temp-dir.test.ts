import { chmod, chown, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { backupDataDir, openLocalEngine } from '../../../adapters/local/index.js'
import type { Engine } from '../../../src/index.js'
import { QuickModel } from '../../ingestion/quick-model.js'
import { temporaryFolder } from '../../temporary-folder.js'

const NOBODY = 65_534

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string
let tempDir: string
let engine: Engine | undefined

beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder.path, 'data')
  tempDir = join(folder.path, 'some', 'temp')
})

afterEach(async () => {
  await engine?.close()
  engine = undefined
  await folder.remove()
})

async function open(): Promise<Engine> {
  engine = await openLocalEngine({ dataDir, tempDir, embeddingModels: [await QuickModel.open({ dimensions: 64 })] })
  return engine
}

/** Makes a context with a document, and searches it. */
async function use(opened: Engine, name: string): Promise<number> {
  const session = opened.as(opened.owner)
  const { contexts, documents } = session
  const { id } = await contexts.create({ name, description: '', caption: '', toolsJson: '[]' })
  await documents.whenProcessed(await documents.upload(id, { fileName: 'a.txt', content: Buffer.from('A lamp.') }))
  return (await session.search(id, 'a lamp')).length
}

/** The folder in `tempDir` that the data folder has there. */
async function ownFolder(): Promise<string> {
  const names = await readdir(tempDir)
  expect(names).toHaveLength(1)
  return join(tempDir, names[0] ?? '')
}

it('everything temporary is in the folder for it, which the engine makes, also where it vanishes', async () => {
  const opened = await open()
  expect(await use(opened, 'First')).toBe(1)
  const [own = ''] = await readdir(tempDir)
  expect(own).toMatch(/^alcove-[0-9a-f]{12}$/)
  expect(await readdir(join(tempDir, own))).toEqual(expect.arrayContaining(['vectors', 'vectors-sessions']))
  expect((await readdir(join(dataDir, 'vectors'))).filter((file) => file.startsWith('.building'))).toEqual([])
  await rm(tempDir, { recursive: true })
  expect(await use(opened, 'Second')).toBe(1)
  await opened.close()
  expect(await use(await open(), 'Third')).toBe(1)
  await engine?.close()
  expect(await readdir(tempDir, { recursive: true })).toEqual([own])
})

it('the parts of a backup are in the folder for temporary files', async () => {
  const opened = await open()
  await use(opened, 'First')
  const own = await ownFolder()
  const parts = new Set<string>()
  const look = async (at: string): Promise<void> => {
    for (const name of await readdir(at)) if (name.includes('unfinished-backup')) parts.add(at)
  }
  const looks: Promise<void>[] = []
  const onProgress = (): void => void looks.push(look(dataDir), look(own))
  await backupDataDir({ dataDir, tempDir, file: join(folder.path, 'backup.tar'), onProgress })
  await Promise.all(looks)
  expect([...parts]).toEqual([own])
  expect((await readdir(tempDir, { recursive: true })).filter((name) => name.includes('backup'))).toEqual([])
})

it('what was killed without a folder for temporary files is removed by a start and by a backup with one', async () => {
  const left = ['unfinished-backup-abcdef', 'alcove.evaluation-abcdef']
  const leave = async (...names: readonly string[]): Promise<void> => {
    for (const name of names) await mkdir(join(dataDir, name), { recursive: true })
  }
  const stays = async (): Promise<string[]> => (await readdir(dataDir)).filter((name) => left.includes(name))
  await leave(...left)
  const opened = await open()
  expect(await stays()).toEqual([])
  await use(opened, 'First')
  await leave('unfinished-backup-abcdef')
  await backupDataDir({ dataDir, tempDir, file: join(folder.path, 'backup.tar') })
  expect(await stays()).toEqual([])
})

it('data folders with the same path, as in two containers, have folders of their own', async () => {
  await (await open()).close()
  const own = await ownFolder()
  await rm(dataDir, { recursive: true })
  await (await open()).close()
  expect(await readdir(tempDir)).toHaveLength(2)
  expect(await readdir(tempDir)).toContain(basename(own))
})

describe.skipIf(process.platform === 'win32')('a folder for temporary files that others can enter', () => {
  it('is made private', async () => {
    await (await open()).close()
    const own = await ownFolder()
    await chmod(own, 0o777)
    await open()
    expect((await stat(own)).mode & 0o777).toBe(0o700)
  })

  it.runIf(process.getuid?.() === 0)('is refused if it belongs to another user', async () => {
    await (await open()).close()
    const own = await ownFolder()
    await chown(own, NOBODY, NOBODY)
    await expect(open()).rejects.toMatchObject({
      code: 'ERR_DATA_DIR_UNUSABLE',
      message: `the folder for temporary files ${own} belongs to another user: remove it, or name another folder for them`,
    })
    // The user of the data folder may read everything that is in it.
    await chown(dataDir, NOBODY, NOBODY)
    await open()
  })
})

it('a folder for temporary files that cannot be made is refused in a sentence', async () => {
  await mkdir(join(folder.path, 'some'))
  await writeFile(tempDir, '')
  await expect(open()).rejects.toMatchObject({
    code: 'ERR_DATA_DIR_UNUSABLE',
    message: `cannot make temporary files in ${tempDir} (ENOTDIR): make it writable, or name no folder for them: they are then in the data folder`,
  })
})
