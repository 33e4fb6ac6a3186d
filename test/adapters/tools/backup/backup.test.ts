import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSqlite } from '../../../../adapters/knex/index.js'
import { LanceDbVectorIndex } from '../../../../adapters/lancedb/index.js'
import { backupDataDir, openLocalDatabase, openLocalEngine, restoreDataDir } from '../../../../adapters/local/index.js'
import { MemoryTelemetry } from '../../../../adapters/memory/index.js'
import { NEW_CONTEXT, uploadText } from '../../../src/engine/memory-engine.js'
import { temporaryFolder } from '../../../temporary-folder.js'
import { folderContents } from './folder-contents.js'

const TEXTS = {
  'leave.txt': 'Parental leave takes eighteen weeks.',
  'lamp.txt': 'The lamp stands in the hall, beside the old clock.',
  'long.txt': Array.from({ length: 60 }, (_, number) => `Room ${number} has ${number * 3} chairs. `).join(''),
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string
let contextId: number
let uuids: Record<string, string>
/** The results of searches in the source. */
let inSource: unknown
let next = 0

beforeAll(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder.path, 'data')
  const engine = await openLocalEngine({ dataDir })
  const session = engine.as(engine.owner)
  contextId = (await session.contexts.create({ ...NEW_CONTEXT, settings: { chunkSizeTokens: 60, overlap: 0 } })).id
  uuids = {}
  for (const [name, text] of Object.entries(TEXTS)) uuids[name] = await uploadText(session, contextId, name, text)
  // A backup has no words of deleted documents. In the source, they count in the statistics of their terms until the
  // purge, so the text shares no word with the other documents and the prompts.
  await session.documents.delete(await uploadText(session, contextId, 'gone.txt', 'Obsolete statement.'))
  await session.destinations.create({ url: 'https://93.184.216.34/hook', eventTypes: null })
  await engine.events.record({ type: 'run.started', data: { jobKey: crypto.randomUUID() }, companyId: 1 })
  await engine.whenCleared()
  await engine.close()
  inSource = await answers(dataDir)
})

afterAll(async () => {
  await folder.remove()
})

const newPath = (name: string): string => {
  next += 1
  return join(folder.path, `${next}-${name}`)
}
/** Excludes the log of SQLite, which exists only while a process has the database open. */
const namesOf = async (path: string): Promise<string[]> =>
  (await readdir(path)).filter((name) => !/-(wal|shm)$/.test(name)).sort()

describe('a backup of a folder that no engine uses', () => {
  it('is one file that only its owner can read, and its restored folder answers as the source does', async () => {
    const [file, restored] = [newPath('backup.tar'), newPath('restored')]
    const before = await namesOf(dataDir)
    const made = await backupDataDir({ dataDir, file })
    const { size, mode } = await stat(file)
    expect(made).toMatchObject({ file, bytes: size, contexts: 1, documents: 3, files: 3, collections: 1 })
    expect(made).toMatchObject({ hasSecretKey: true, documentsWithoutFile: [], documentsWithoutVectors: [] })
    expect(mode & 0o777).toBe(0o600)
    expect(await namesOf(dataDir)).toEqual(before)

    const result = await restoreDataDir({ dataDir: restored, file })
    expect(result).toMatchObject({ dataDir: restored, contexts: 1, documents: 3, files: 3, pendingDeliveries: 1 })
    expect(result.vectors).toBe(made.vectors)
    expect((await stat(restored)).mode & 0o777).toBe(0o700)
    for (const path of ['alcove.sqlite', 'keys/secret-key', `files/${uuids['lamp.txt']?.slice(0, 2) ?? ''}`]) {
      expect((await stat(join(restored, path))).mode & 0o077, path).toBe(0)
    }
    expect(await folderContents(restored)).toEqual(await folderContents(dataDir))
    expect(await answers(restored)).toEqual(inSource)
    expect(await namesOf(folder.path)).not.toContainEqual(expect.stringContaining('partial'))
  })

  it('may be made by an engine of the same process, and while another process has the folder open', async () => {
    const engine = await openLocalEngine({ dataDir, roles: ['ingest'] })
    const file = newPath('backup.tar')
    expect((await backupDataDir({ dataDir, file })).documents).toBe(3)
    expect(await engine.as(engine.owner).search(contextId, 'Where is the lamp?')).not.toEqual([])
    await engine.close()
  })

  it('is a tar file whose checksums sha256sum accepts', async () => {
    const [file, unpacked] = [newPath('backup.tar'), newPath('unpacked')]
    await backupDataDir({ dataDir, file })
    await mkdir(unpacked)
    execFileSync('tar', ['-xf', file, '-C', unpacked])
    expect(execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: unpacked }).toString()).toBe('')
    expect(await readFile(join(unpacked, 'files', key('lamp.txt')), 'utf8')).toBe(TEXTS['lamp.txt'])
    const manifest = JSON.parse(await readFile(join(unpacked, 'manifest.json'), 'utf8')) as unknown
    expect(manifest).toMatchObject({ format: 'alcove-backup', version: 3, documents: 3 })
  })

  it('excludes the keys on request, and the restored folder opens after the key is copied back', async () => {
    const [file, restored] = [newPath('backup.tar'), newPath('restored')]
    expect((await backupDataDir({ dataDir, file, withoutKeys: true })).hasSecretKey).toBe(false)
    const key = await readFile(join(dataDir, 'keys', 'secret-key'))
    expect((await readFile(file)).includes(key)).toBe(false)
    expect((await restoreDataDir({ dataDir: restored, file })).hasSecretKey).toBe(false)
    await expect(openLocalEngine({ dataDir: restored })).rejects.toMatchObject({ code: 'ERR_SECRET_KEY' })
    await writeFile(join(restored, 'keys', 'secret-key'), key)
    expect(await answers(restored)).toEqual(inSource)
  })

  it('restores jobs without leases, and no quota reservations of uploads', async () => {
    const [file, restored] = [newPath('backup.tar'), newPath('restored')]
    const knex = openSqlite(join(dataDir, 'alcove.sqlite'))
    const far = Date.now() + 3_600_000
    const held = { subject: 1, due_ms: far, lease_expires_ms: far, fencing_token: 1, failures: 0 }
    await knex('alcove_jobs').insert({ ...held, kind: 'test' })
    await knex('alcove_uploads').insert({ uuid: crypto.randomUUID(), context_id: 1, size_bytes: 9, expires_ms: far })
    await backupDataDir({ dataDir, file })
    expect(await knex('alcove_jobs').where({ kind: 'backup' })).toEqual([])
    await knex('alcove_jobs').where({ kind: 'test' }).delete()
    await knex('alcove_uploads').delete()
    await knex.destroy()
    await restoreDataDir({ dataDir: restored, file })
    const copy = openSqlite(join(restored, 'alcove.sqlite'))
    expect(await copy('alcove_jobs').where('lease_expires_ms', '>', 0)).toEqual([])
    expect(await copy('alcove_jobs').where({ kind: 'backup' })).toEqual([])
    expect(await copy('alcove_jobs').where({ kind: 'test' }).where('due_ms', '<=', Date.now())).toHaveLength(1)
    expect(await copy('alcove_uploads')).toEqual([])
    await copy.destroy()
  })

  it('excludes temporary files, and vectors of deleted or unknown documents', async () => {
    const [source, file, restored] = [newPath('data'), newPath('backup.tar'), newPath('restored')]
    await backupDataDir({ dataDir, file })
    await restoreDataDir({ dataDir: source, file })
    const index = new LanceDbVectorIndex(join(source, 'vectors'))
    const [collection = ''] = await index.listCollections()
    const rows = { chunks: Uint32Array.of(0), windows: Uint16Array.of(0), vectors: new Float32Array(384).fill(0.05) }
    // The vectors of documents after the snapshot: a restored engine gives their ids to others.
    await index.add({ name: collection, dimensions: 384 }, { ...rows, documentId: 99 })
    await index.add(
      { name: collection.replace('context-1', 'context-7'), dimensions: 384 },
      { ...rows, documentId: 98 },
    )
    await index.close()
    await mkdir(join(source, 'vectors', '.building', 'build-1'), { recursive: true })
    await writeFile(join(source, 'vectors', '.building', 'build-1', 'part'), 'of an index')
    const secondFile = newPath('backup.tar')
    expect(await backupDataDir({ dataDir: source, file: secondFile })).toMatchObject({ documents: 3, collections: 1 })
    await restoreDataDir({ dataDir: restored, file: secondFile })
    expect(await namesOf(join(restored, 'vectors'))).toEqual([`${collection}.lance`])
    expect(await folderContents(restored)).toEqual(await folderContents(dataDir))
  })

  it('leads to a second processing of unfinished documents after a restore', async () => {
    const [source, file, restored] = [newPath('data'), newPath('backup.tar'), newPath('restored')]
    const engine = await openLocalEngine({ dataDir: source })
    const session = engine.as(engine.owner)
    const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings: { chunkSizeTokens: 60, overlap: 0 } })
    const uuid = await uploadText(session, id, 'long.txt', TEXTS['long.txt'])
    await engine.close()
    // The state between two writes: some of its chunks and vectors exist.
    const knex = openSqlite(join(source, 'alcove.sqlite'))
    await knex('alcove_documents').update({ completed: null, chunk_count: 0 })
    await knex('alcove_jobs').insert({
      kind: 'ingest-document',
      subject: 1,
      due_ms: 0,
      lease_expires_ms: 0,
      fencing_token: 0,
      failures: 0,
    })
    await knex.destroy()
    expect(await backupDataDir({ dataDir: source, file })).toMatchObject({ documents: 1, files: 1, vectors: 0 })
    await restoreDataDir({ dataDir: restored, file })
    const reopened = await openLocalEngine({ dataDir: restored })
    await reopened.as(reopened.owner).documents.whenProcessed(uuid)
    await reopened.close()
    const { documents } = await folderContents(restored)
    const found = documents.get(uuid)
    expect(found).toMatchObject({ isCompleted: true, chunkCount: found?.chunks, vectors: found?.windows })
  })

  it('reports damaged documents, and contains all others', async () => {
    const [file, broken, restored] = [newPath('backup.tar'), newPath('broken'), newPath('restored')]
    await backupDataDir({ dataDir, file })
    await restoreDataDir({ dataDir: broken, file })
    await rm(join(broken, 'files', key('lamp.txt')))
    await writeFile(join(broken, 'files', key('leave.txt')), 'other bytes')
    await rm(join(broken, 'vectors'), { recursive: true })
    const worse = newPath('backup.tar')
    const made = await backupDataDir({ dataDir: broken, file: worse })
    expect(made).toMatchObject({ documents: 3, files: 2, collections: 0, vectors: 0 })
    expect(made.documentsWithoutFile).toEqual([uuids['lamp.txt']])
    expect(made.documentsWithOtherBytes).toEqual([uuids['leave.txt']])
    expect([...made.documentsWithoutVectors].sort()).toEqual(Object.values(uuids).sort())
    await restoreDataDir({ dataDir: restored, file: worse })
    expect(await readFile(join(restored, 'files', key('leave.txt')), 'utf8')).toBe('other bytes')
  })

  it('copies vectors from another disk, to which no hard link can be made', async ({ skip }) => {
    const other = await mkdtempOn('/dev/shm')
    if (other === undefined) return skip('there is no other file system here')
    const [file, source, restored] = [newPath('backup.tar'), newPath('data'), newPath('restored')]
    await backupDataDir({ dataDir, file })
    await restoreDataDir({ dataDir: source, file })
    execFileSync('cp', ['-r', join(source, 'vectors'), other])
    await rm(join(source, 'vectors'), { recursive: true })
    await symlink(join(other, 'vectors'), join(source, 'vectors'))
    const elsewhere = newPath('backup.tar')
    expect((await backupDataDir({ dataDir: source, file: elsewhere })).documentsWithoutVectors).toEqual([])
    await rm(other, { recursive: true })
    await restoreDataDir({ dataDir: restored, file: elsewhere })
    expect(await answers(restored)).toEqual(inSource)
  })
})

describe('a folder with damaged vectors', () => {
  it('is backed up without them, and the restored engine can compute them', async () => {
    const [file, source, backup, restored] = [newPath('a.tar'), newPath('data'), newPath('b.tar'), newPath('restored')]
    await backupDataDir({ dataDir, file })
    await restoreDataDir({ dataDir: source, file })
    const names = await readdir(join(source, 'vectors'), { recursive: true })
    const parts = names.filter((name) => /\/data\/.*\.lance$/.test(name))
    expect(parts).not.toEqual([])
    for (const name of parts) await truncate(join(source, 'vectors', name), 10)
    const { documentsWithoutVectors, documents } = await backupDataDir({ dataDir: source, file: backup })
    expect(documentsWithoutVectors).toHaveLength(documents)
    await restoreDataDir({ dataDir: restored, file: backup })
    const engine = await openLocalEngine({ dataDir: restored, roles: ['ingest'] })
    expect(await engine.administration.verify({ repair: true })).toMatchObject({ isHealthy: true })
    await engine.close()
    // The second processing made the chunks, under other ids.
    expect(withoutIds(await answers(restored))).toEqual(withoutIds(inSource))
  })
})

describe('a backup', () => {
  it('refuses a target that exists, lies in the data folder, or has no parent folder', async () => {
    const file = newPath('backup.tar')
    await writeFile(file, 'mine')
    const refused = { code: 'ERR_INVALID_INPUT', field: 'file' }
    await expect(backupDataDir({ dataDir, file })).rejects.toMatchObject(refused)
    await expect(backupDataDir({ dataDir, file: dataDir, overwrite: true })).rejects.toMatchObject(refused)
    await expect(backupDataDir({ dataDir, file: folder.path, overwrite: true })).rejects.toMatchObject(refused)
    await expect(backupDataDir({ dataDir, file: join(dataDir, 'b.tar') })).rejects.toMatchObject(refused)
    const link = newPath('link')
    await symlink(dataDir, link)
    await expect(backupDataDir({ dataDir, file: join(link, 'files', 'b.tar') })).rejects.toMatchObject(refused)
    await expect(backupDataDir({ dataDir, file: join(newPath('none'), 'b.tar') })).rejects.toMatchObject(refused)
    await expect(backupDataDir({ dataDir, file: '' })).rejects.toMatchObject(refused)
    expect(await readFile(file, 'utf8')).toBe('mine')
    expect((await backupDataDir({ dataDir, file, overwrite: true })).bytes).toBeGreaterThan(1_000)
  })

  it('refuses a folder without its own database', async () => {
    const file = newPath('backup.tar')
    await expect(backupDataDir({ dataDir: newPath('none'), file })).rejects.toMatchObject({
      code: 'ERR_NOT_INITIALIZED',
      message: expect.stringContaining('alcove init') as string,
    })
    const hosted = newPath('hosted')
    const knex = openSqlite(newPath('host.sqlite'))
    const engine = await openLocalEngine({ dataDir: hosted, knex })
    await engine.close()
    await knex.destroy()
    await expect(backupDataDir({ dataDir: hosted, file })).rejects.toMatchObject({
      code: 'ERR_NOT_INITIALIZED',
      message: expect.stringContaining('an application keeps it in its own') as string,
    })
  })

  it('refuses tables with another prefix, and accepts them when the prefix is given', async () => {
    const [prefixed, file, restored] = [newPath('prefixed'), newPath('backup.tar'), newPath('restored')]
    await (await openLocalEngine({ dataDir: prefixed, tablePrefix: 'our_', roles: [] })).close()
    await expect(backupDataDir({ dataDir: prefixed, file })).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      field: 'tablePrefix',
    })
    await backupDataDir({ dataDir: prefixed, file, tablePrefix: 'our_' })
    await restoreDataDir({ dataDir: restored, file })
    await (await openLocalEngine({ dataDir: restored, tablePrefix: 'our_', roles: [] })).close()
  })

  it('refuses to run beside another one, and leaves no file when it is interrupted', async () => {
    const files = [newPath('one.tar'), newPath('two.tar')]
    const both = await Promise.allSettled(files.map((file) => backupDataDir({ dataDir, file })))
    const refused = both.find((outcome) => outcome.status === 'rejected')
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(refused?.reason).toMatchObject({ code: 'ERR_BACKUP_RUNNING' })
    const abort = new AbortController()
    const file = newPath('aborted.tar')
    const onProgress = (): void => {
      abort.abort()
    }
    await expect(backupDataDir({ dataDir, file, signal: abort.signal, onProgress })).rejects.toThrow(/aborted/)
    expect((await namesOf(folder.path)).filter((name) => name.includes('aborted'))).toEqual([])
    expect((await namesOf(dataDir)).filter((name) => name.includes('unfinished'))).toEqual([])
    await backupDataDir({ dataDir, file })
  })

  it('refuses a name that another process took in the meantime, and changes no file of others', async () => {
    const [file, link] = [newPath('backup.tar'), newPath('link')]
    await writeFile(`${file}.partial`, 'mine')
    let isTaken = false
    const onProgress = (): void => {
      if (!isTaken) writeFileSync(file, 'theirs')
      isTaken = true
    }
    const refused = { code: 'ERR_INVALID_INPUT', field: 'file' }
    await expect(backupDataDir({ dataDir, file, onProgress })).rejects.toMatchObject(refused)
    expect(await readFile(file, 'utf8')).toBe('theirs')
    await backupDataDir({ dataDir, file, overwrite: true })
    expect(await readFile(`${file}.partial`, 'utf8')).toBe('mine')
    await symlink(newPath('nowhere'), link)
    await expect(backupDataDir({ dataDir, file: link })).rejects.toMatchObject(refused)
    await rm(`${file}.partial`)
    expect(await namesOf(folder.path)).not.toContainEqual(expect.stringContaining('partial'))
  })

  it('succeeds for only one of two folders with the same target, and the file is complete', async () => {
    const other = newPath('other')
    await (await openLocalEngine({ dataDir: other, roles: [] })).close()
    for (const overwrite of [false, true, false, true]) {
      const [file, restored] = [newPath('backup.tar'), newPath('restored')]
      const made = await Promise.allSettled(
        [dataDir, other].map((from) => backupDataDir({ dataDir: from, file, overwrite })),
      )
      const there = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      expect(there).toHaveLength(overwrite ? 2 : 1)
      for (const one of made) if (one.status === 'rejected') expect(one.reason).toMatchObject({ field: 'file' })
      const { documents } = await restoreDataDir({ dataDir: restored, file })
      expect(there.map((one) => one.documents)).toContain(documents)
    }
    expect(await namesOf(folder.path)).not.toContainEqual(expect.stringContaining('partial'))
  })

  it.skipIf(process.getuid?.() === 0)('refuses a target folder without write permission', async () => {
    const place = newPath('place')
    await mkdir(place)
    await chmod(place, 0o500)
    await expect(backupDataDir({ dataDir, file: join(place, 'b.tar') })).rejects.toMatchObject({
      code: 'ERR_BACKUP_FAILED',
    })
  })
})

describe('a restore', () => {
  it('accepts a new or an empty folder, and changes no folder with content', async () => {
    const [file, empty, full] = [newPath('backup.tar'), newPath('empty'), newPath('full')]
    await backupDataDir({ dataDir, file })
    await mkdir(empty)
    const { ino } = await stat(empty)
    await restoreDataDir({ dataDir: empty, file })
    expect((await stat(empty)).ino).toBe(ino)
    expect(await namesOf(empty)).toEqual(['alcove.sqlite', 'database-id', 'files', 'keys', 'vectors', 'words'])
    await mkdir(full)
    await writeFile(join(full, 'mine'), '')
    const refused = { code: 'ERR_DATA_DIR_UNUSABLE' }
    await expect(restoreDataDir({ dataDir: full, file })).rejects.toMatchObject(refused)
    await expect(restoreDataDir({ dataDir: file, file })).rejects.toMatchObject(refused)
    await expect(restoreDataDir({ dataDir, file })).rejects.toMatchObject(refused)
    expect(await namesOf(full)).toEqual(['mine'])
    expect(await namesOf(folder.path)).not.toContainEqual(expect.stringContaining('unfinished'))
    await restoreDataDir({ dataDir: join(newPath('new'), 'deep', 'in'), file })
  })

  it('leaves no files when it is interrupted', async () => {
    const [file, restored] = [newPath('backup.tar'), newPath('restored')]
    await backupDataDir({ dataDir, file })
    const before = await namesOf(folder.path)
    const abort = new AbortController()
    const onProgress = ({ bytes }: { readonly bytes: number }): void => {
      if (bytes > 10_000) abort.abort()
    }
    await expect(restoreDataDir({ dataDir: restored, file, signal: abort.signal, onProgress })).rejects.toThrow(/abort/)
    expect(await namesOf(folder.path)).toEqual(before)
  })

  it('may run twice, and the two folders are independent', async () => {
    const [file, one, other] = [newPath('backup.tar'), newPath('one'), newPath('other')]
    await backupDataDir({ dataDir, file })
    for (const restored of [one, other]) await restoreDataDir({ dataDir: restored, file })
    const beside = await openLocalDatabase({ dataDir: one })
    await beside.as(beside.owner).contexts.delete(contextId)
    await beside.close()
    expect(await answers(other)).toEqual(inSource)
  })
})

function key(name: string): string {
  const uuid = uuids[name] ?? ''
  return join(uuid.slice(0, 2), uuid)
}

function withoutIds(found: unknown): unknown[] {
  return (found as unknown[][]).map(([, ...rest]) => rest)
}

/** The results of searches in a folder. The folder is clean: its sweep removes nothing. */
async function answers(path: string): Promise<unknown> {
  const telemetry = new MemoryTelemetry()
  const engine = await openLocalEngine({ dataDir: path, roles: ['ingest'], telemetry })
  const session = engine.as(engine.owner)
  const found = []
  for (const prompt of ['How long is parental leave?', 'Where is the lamp?', 'How many chairs has room 7?']) {
    for (const { id, docId, content } of await session.search(contextId, prompt)) found.push([id, docId, content])
  }
  await engine.whenCleared()
  await engine.close()
  expect(telemetry.events.find(({ name }) => name === 'ingestion.swept')?.fields).toMatchObject({
    filesRemoved: 0,
    collectionsDropped: 0,
    vectorOrphansRemoved: 0,
    wordCollectionsDropped: 0,
    wordOrphansRemoved: 0,
  })
  expect(found.length).toBeGreaterThan(3)
  return found
}

async function mkdtempOn(place: string): Promise<string | undefined> {
  const path = join(place, `alcove-test-${crypto.randomUUID()}`)
  return await mkdir(path).then(
    () => path,
    () => undefined,
  )
}
