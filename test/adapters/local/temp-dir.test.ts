import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { backupDataDir, openLocalEngine } from '../../../adapters/local/index.js'
import type { Engine } from '../../../src/index.js'
import { QuickModel } from '../../ingestion/quick-model.js'
import { temporaryFolder } from '../../temporary-folder.js'

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
  const { contexts, documents, search } = opened.as(opened.owner)
  const { id } = await contexts.create({ name, description: '', caption: '', toolsJson: '[]' })
  await documents.whenProcessed(await documents.upload(id, { fileName: 'a.txt', content: Buffer.from('A lamp.') }))
  return (await search(id, 'a lamp')).length
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
  const parts = new Set<string>()
  const look = async (at: string): Promise<void> => {
    for (const name of await readdir(at, { recursive: true })) if (name.includes('unfinished-backup')) parts.add(at)
  }
  const looks: Promise<void>[] = []
  const onProgress = (): void => void looks.push(look(dataDir), look(tempDir))
  await backupDataDir({ dataDir, tempDir, file: join(folder.path, 'backup.tar'), onProgress })
  await Promise.all(looks)
  expect([...parts]).toEqual([tempDir])
  expect((await readdir(tempDir, { recursive: true })).filter((name) => name.includes('backup'))).toEqual([])
})

it('a folder for temporary files that cannot be made is refused in a sentence', async () => {
  await mkdir(join(folder.path, 'some'))
  await writeFile(tempDir, '')
  await expect(open()).rejects.toMatchObject({
    code: 'ERR_DATA_DIR_UNUSABLE',
    message: `cannot make temporary files in ${tempDir} (ENOTDIR): make it writable, or name no folder for them: they are then in the data folder`,
  })
})
