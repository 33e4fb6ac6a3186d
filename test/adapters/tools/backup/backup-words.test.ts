import { readFile, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { backupDataDir, restoreDataDir } from '../../../../adapters/local/index.js'
import { wordCollectionOf } from '../../../../src/documents/collections.js'
import {
  codes,
  examine,
  fill,
  find,
  firstByWords,
  open,
  sql,
  WORDS,
  withEngine,
  words,
} from '../../../src/doctor/doctor-folder.js'
import { temporaryFolder } from '../../../temporary-folder.js'
import { entriesOf } from './backup-archives.js'
import { folderContents } from './folder-contents.js'

const SHELF = 'Shelf 33 holds jar number 231'
const BY_WORDS = { mode: 'keyword' } as const

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string
let file: string
let restored: string

beforeEach(async () => {
  folder = await temporaryFolder()
  ;[dataDir, file, restored] = ['data', 'backup.tar', 'restored'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ]
  await fill(dataDir)
})

afterEach(async () => {
  await folder.remove()
})

/** Waits until an engine has indexed documents that lacked words, and expects a healthy folder. */
async function expectIndexedInBackground(): Promise<void> {
  await withEngine(restored, {}, async (engine) => {
    const session = engine.as(engine.owner)
    expect((await session.search(1, SHELF, { mode: 'semantic' }))[0]?.content).toContain(SHELF)
    const first = async (): Promise<string> => (await firstByWords(engine, SHELF)) ?? ''
    await expect.poll(first, { timeout: 20_000 }).toContain(SHELF)
    for (let isDone = false; !isDone; ) {
      const { checked, problems } = await engine.administration.verify()
      expect(problems).toEqual([])
      isDone = checked.indexedChunks === checked.chunks
    }
  })
  expect(await examine(restored)).toMatchObject({ problems: [] })
}

describe('the words in a backup', () => {
  // W61
  it('equal those of the folder: a restored engine finds by words at once, and no job waits', async () => {
    const made = await backupDataDir({ dataDir, file })
    const { checked } = await examine(dataDir)
    expect(made).toMatchObject({ wordCollections: 2, indexedChunks: checked.chunks })
    expect(await restoreDataDir({ dataDir: restored, file })).toMatchObject({
      wordCollections: 2,
      indexedChunks: checked.chunks,
    })
    expect(await folderContents(restored)).toEqual(await folderContents(dataDir))
    // No engine works on the folder.
    expect(await find(restored, SHELF, { ...BY_WORDS, isWorking: false })).toContain(SHELF)
    expect(await examine(restored)).toMatchObject({ isHealthy: true, problems: [] })
    for (const path of ['words', `words/${WORDS}.sqlite`]) {
      expect((await stat(join(restored, path))).mode & 0o077, path).toBe(0)
    }
  })

  // W62
  it('exclude those of documents and contexts that the backup excludes', async () => {
    const rows = { documentId: 99, chunks: [0], terms: [['lamp']] }
    await words(dataDir, async (index) => {
      await index.add(WORDS, rows)
      await index.add(wordCollectionOf({ id: 7, generation: 0 }), rows)
    })
    expect(await backupDataDir({ dataDir, file })).toMatchObject({ wordCollections: 2 })
    await restoreDataDir({ dataDir: restored, file })
    expect((await folderContents(restored)).strangers).toEqual([])
    expect(await examine(restored)).toMatchObject({ problems: [] })
  })

  // W63
  it('lack those that the folder lacks: the engine on the restored folder indexes them in the background', async () => {
    await words(dataDir, async (index) => await index.deleteDocument(WORDS, 1, 4))
    const made = await backupDataDir({ dataDir, file })
    expect(made).toMatchObject({ documentsWithoutVectors: [], wordCollections: 2 })
    await restoreDataDir({ dataDir: restored, file })
    expect(codes(await examine(restored))).toEqual(['words-missing'])
    await expectIndexedInBackground()
  })

  // W63
  it('may be damaged in the folder: the engine on the restored folder indexes them in the background', async () => {
    await truncate(join(dataDir, 'words', `${WORDS}.sqlite`), 5_000)
    expect(await backupDataDir({ dataDir, file })).toMatchObject({ documents: 3, wordCollections: 1 })
    await restoreDataDir({ dataDir: restored, file })
    await expectIndexedInBackground()
  })

  // W64
  it('are missing in a backup of a folder without words: the restored engine indexes them in the background', async () => {
    await sql(dataDir, async (database) => {
      await database('alcove_documents').update({ words_version: null })
      await database.raw('pragma wal_checkpoint(truncate)')
    })
    await rm(join(dataDir, 'words'), { recursive: true })
    await backupDataDir({ dataDir, file })
    const names = entriesOf(await readFile(file)).map(({ path }) => path)
    expect(names.filter((name) => name.startsWith('words'))).toEqual([])
    expect(await restoreDataDir({ dataDir: restored, file })).toMatchObject({ documents: 3, indexedChunks: 0 })
    await expectIndexedInBackground()
  })

  // W65
  it('are those of its snapshot, however many uploads and deletions run during the backup', async () => {
    const engine = await open(dataDir)
    const session = engine.as(engine.owner)
    let isDone = false
    const busy = async (): Promise<void> => {
      for (let round = 0; !isDone; round += 1) {
        const content = Buffer.from(`${SHELF}. `.repeat(20) + String(round))
        const uuid = await session.documents.upload(1, { fileName: `${round}.txt`, content })
        if (round % 2 === 0) await session.documents.whenProcessed(uuid)
        if (round % 3 === 0) await session.documents.delete(uuid)
      }
    }
    const work = busy()
    const files = [1, 2, 3].map((at) => `${file}.${at}`)
    for (const one of files) await backupDataDir({ dataDir, file: one })
    isDone = true
    await work
    await engine.close()
    for (const [at, one] of files.entries()) {
      const target = `${restored}-${at}`
      await restoreDataDir({ dataDir: target, file: one })
      const { documents, strangers } = await folderContents(target)
      expect(strangers).toEqual([])
      for (const found of documents.values()) {
        expect([found.words, found.vectors]).toEqual([found.chunks, found.windows])
      }
      expect((await examine(target)).problems.filter(({ code }) => code !== 'job-missing')).toEqual([])
    }
  })
})
