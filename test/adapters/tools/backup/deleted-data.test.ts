import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { backupDataDir, restoreDataDir } from '../../../../adapters/local/index.js'
import { COLLECTION, examine, open, vectors } from '../../../src/doctor/doctor-folder.js'
import { NEW_CONTEXT, uploadText } from '../../../src/engine/memory-engine.js'
import { temporaryFolder } from '../../../temporary-folder.js'

// cspell:ignore xylophonequartz
const SECRET = 'xylophonequartz'
const TEXT = `The patient ${SECRET} was admitted on Monday.`

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string
let vector: Uint8Array

/** Deletes a document whose text, name, file name and metadata have a word that nothing else has. */
beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder.path, 'data')
  const first = await open(dataDir)
  const session = first.as(first.owner)
  const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings: { embeddingModel: 'memory' } })
  for (let at = 0; at < 6; at += 1)
    await uploadText(session, id, `n${at}.txt`, `Notice ${at}: the canteen opens at noon.`)
  const content = Buffer.from(TEXT)
  const metadata = { patient: SECRET }
  const uuid = await session.documents.upload(id, { fileName: `${SECRET}.txt`, metadata, content })
  await session.documents.whenProcessed(uuid)
  await first.close()
  await vectors(dataDir, async (index) => {
    const key = { documentId: 7, chunk: 0, window: 0 }
    const [found] = await index.read({ name: COLLECTION, dimensions: 64 }, [key])
    expect(found).toBeDefined()
    vector = new Uint8Array(Float32Array.from(found ?? []).buffer)
    expect(await filesWith(dataDir, vector)).toHaveLength(1)
  })
  const second = await open(dataDir)
  await second.as(second.owner).documents.delete(uuid)
  await second.whenCleared()
  await second.close()
})

afterEach(async () => {
  await folder.remove()
})

/** The files below a folder that have some bytes, in upper or lower case. */
async function filesWith(root: string, wanted: string | Uint8Array): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(root, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const bytes = await readFile(path)
    const has =
      typeof wanted === 'string'
        ? bytes.toString('latin1').toLowerCase().includes(wanted)
        : bytes.includes(Buffer.from(wanted))
    if (has) found.push(path.slice(root.length + 1))
  }
  return found.sort()
}

describe('the words, text, names and metadata of a deleted document', () => {
  it('are in no file of a new backup, and its vectors are not either', async () => {
    const restored = join(folder.path, 'restored')
    await backupDataDir({ dataDir, file: join(folder.path, 'b.tar') })
    await restoreDataDir({ file: join(folder.path, 'b.tar'), dataDir: restored })
    expect(await filesWith(restored, SECRET)).toEqual([])
    expect(await filesWith(restored, vector)).toEqual([])
    expect((await examine(restored)).problems).toEqual([])
  })

  it('leave the folder of an engine that is open, its logs too', async () => {
    const engine = await open(dataDir)
    await expect.poll(async () => await filesWith(dataDir, SECRET), { timeout: 30_000, interval: 500 }).toEqual([])
    await engine.close()
    expect(await filesWith(dataDir, SECRET)).toEqual([])
  })
})
