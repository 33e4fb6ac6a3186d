import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPostgres, openSqlite } from '../../../../adapters/knex/index.js'
import { LanceDbVectorIndex } from '../../../../adapters/lancedb/index.js'
import { type MigrationOptions, migrateDataDir, openLocalDatabase } from '../../../../adapters/local/index.js'
import { MemoryEmbeddingModel } from '../../../../adapters/memory/index.js'
import { PgVectorIndex } from '../../../../adapters/pgvector/index.js'
import { PgLexicalIndex } from '../../../../adapters/words/index.js'
import type { Engine } from '../../../../src/index.js'
import { startPglite } from '../../../servers/pglite-server.js'
import { NEW_CONTEXT, uploadText } from '../../../src/engine/memory-engine.js'
import { DATABASES, type TestDatabase } from '../../../src/outbox/database.js'
import { temporaryFolder } from '../../../temporary-folder.js'
import { runAlcove } from '../../cli/run-alcove.js'
import { runAlcoveHere } from '../../cli/run-alcove-here.js'
import { fillFolder, HARBOUR, LEAVE, NASTY, openFolder, removeFilled, seen } from './filled-folder.js'

const POSTGRES = DATABASES.filter(({ name }) => name === 'PostgreSQL')

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string

beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder.path, 'data')
})

afterEach(async () => {
  await folder.remove()
})

afterAll(async () => {
  await removeFilled()
})

const open = async (databaseUrl?: string): Promise<Engine> => await openFolder(dataDir, databaseUrl)
const fill = async (options?: { readonly hasDestination: boolean }): Promise<void> => await fillFolder(dataDir, options)

describe.each(POSTGRES)('a folder that is migrated to $name', (postgres) => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await postgres.openEmpty()
  })

  afterEach(async () => {
    await database.dispose()
  })

  const migrate = async (options: Partial<MigrationOptions> = {}) =>
    await migrateDataDir({ from: dataDir, to: database.address, ...options })

  const expectMigratedAsItIs = async (engine: Engine): Promise<void> => {
    const before = await seen(engine)
    await engine.close()
    await migrate()
    const migrated = await open(database.address)
    expect(await seen(migrated)).toEqual(before)
    await migrated.close()
  }

  it('keeps its data, continues its ids, and is refused without the database', async () => {
    await fill()
    const engine = await open()
    const before = await seen(engine)
    await engine.close()
    const progress: number[] = []
    const result = await migrate({ onProgress: ({ rows, totalRows }) => progress.push(rows / totalRows) })
    expect(result).toMatchObject({ from: dataDir, contexts: 1, documents: 2, vectorStore: 'lancedb', vectors: 0 })
    expect(result).toMatchObject({ indexedChunks: 2 })
    expect(before.byWords).toMatchObject([[{ content: HARBOUR }]])
    expect(result.rows).toMatchObject({ contexts: 1, documents: 2, companies: 3, events: 2, deliveries: 1 })
    expect(progress.at(-1)).toBe(1)
    const migrated = await open(database.address)
    expect(await seen(migrated)).toEqual(before)
    expect(await migrated.administration.verify()).toMatchObject({ problems: [] })
    const session = migrated.as(migrated.owner)
    // The folder had two, of which one was deleted.
    expect(await session.contexts.create(NEW_CONTEXT)).toMatchObject({ id: 3 })
    await uploadText(session, 3, 'a.txt', LEAVE)
    expect(await session.search(3, LEAVE)).toHaveLength(1)
    await migrated.close()
    await expect(open()).rejects.toMatchObject({
      code: 'ERR_NOT_INITIALIZED',
      message: expect.stringContaining('was migrated to PostgreSQL') as string,
    })
    const output = await runAlcove(['context', 'list', '--data-dir', dataDir], { cwd: folder.path })
    expect(output).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--database-url') as string })
    // A second migration finds nothing to do, and changes nothing.
    expect(await migrate()).toMatchObject({ contexts: 1, documents: 2, vectors: 0 })
    // This undoes the migration.
    await rename(result.formerDatabase, join(dataDir, 'alcove.sqlite'))
    await rename(join(dataDir, 'words.migrated'), join(dataDir, 'words'))
    const back = await open()
    expect(await seen(back)).toEqual(before)
    await back.close()
  })

  it('accepts work after an interrupted migration, and the next one copies its new state', async () => {
    await fill({ hasDestination: false })
    const abort = new AbortController()
    const ended = migrate({ signal: abort.signal, onProgress: () => abort.abort(new Error('ended')) })
    await expect(ended).rejects.toThrow('ended')
    await expect(open(database.address)).rejects.toThrow('run it a second time')
    const engine = await open()
    const session = engine.as(engine.owner)
    const [context] = await session.contexts.list()
    const id = context?.id ?? 0
    const [document] = await session.documents.list(id)
    await session.documents.delete(document?.fileName ?? '')
    await session.contexts.update(id, { ...NEW_CONTEXT, caption: 'Another' })
    await uploadText(session, id, 'new.txt', 'Ferries leave at nine.')
    await engine.whenCleared()
    await expectMigratedAsItIs(engine)
  })

  // W66
  it('leaves words that are not indexed to the engine on the database, which indexes them in the background', async () => {
    await fill({ hasDestination: false })
    const knex = openSqlite(join(dataDir, 'alcove.sqlite'))
    await knex('alcove_documents').where('original_name', 'leave.txt').update({ words_version: null })
    await knex.destroy()
    expect(await migrate()).toMatchObject({ documents: 2, indexedChunks: 1 })
    const words = new PgLexicalIndex({ knex: openPostgres(database.address, { maxConnections: 1 }) })
    const [collection = ''] = await words.listCollections()
    const indexed = async () => [...(await words.countByDocument(collection))].sort()
    expect(await indexed()).toEqual([[1, 1]])
    const engine = await open(database.address)
    expect(await engine.administration.verify()).toMatchObject({ problems: [] })
    await expect.poll(indexed, { timeout: 20_000 }).toEqual([
      [1, 1],
      [2, 1],
    ])
    await expect
      .poll(async () => (await engine.administration.verify()).checked.indexedChunks, { timeout: 20_000 })
      .toBe(2)
    await engine.close()
    await words.close()
  })

  // W67
  it('has no words from an earlier copy of documents that were deleted since', async () => {
    await fill({ hasDestination: false })
    const abort = new AbortController()
    const totals = new Set<number>()
    // The words follow all rows, and did not count among them.
    const afterFirst = ({ totalRows }: { readonly totalRows: number }): void => {
      if (totals.add(totalRows).size > 1) abort.abort(new Error('ended'))
    }
    await expect(migrate({ signal: abort.signal, onProgress: afterFirst })).rejects.toThrow('ended')
    const words = new PgLexicalIndex({ knex: openPostgres(database.address, { maxConnections: 1 }) })
    const [collection = ''] = await words.listCollections()
    expect((await words.countByDocument(collection)).size).toBeGreaterThan(0)
    const engine = await open()
    const session = engine.as(engine.owner)
    const [context] = await session.contexts.list()
    const [document] = await session.documents.list(context?.id ?? 0)
    await session.documents.delete(document?.fileName ?? '')
    await engine.whenCleared()
    await engine.close()
    expect(await migrate()).toMatchObject({ documents: 1, indexedChunks: 1 })
    expect([...(await words.countByDocument(collection)).keys()]).not.toContain(document?.id)
    await words.close()
  })

  it('is not changed when another process writes to the database during the migration', async () => {
    await fill()
    const abort = new AbortController()
    const nearlyDone = ({ rows, totalRows }: { readonly rows: number; readonly totalRows: number }): void => {
      if (rows === totalRows) abort.abort(new Error('ended'))
    }
    await expect(migrate({ signal: abort.signal, onProgress: nearlyDone })).rejects.toThrow('ended')
    await database.knex('alcove_contexts').update({ caption: 'Another' })
    await expect(migrate()).rejects.toMatchObject({
      code: 'ERR_MIGRATION_FAILED',
      message: expect.stringContaining('alcove_contexts has 1 rows') as string,
    })
    const engine = await open()
    expect(await engine.as(engine.owner).contexts.list()).toMatchObject([{ name: NASTY }])
    await engine.close()
  })

  it('is refused when it is open or empty, or when the database contains data', async () => {
    await expect(migrate()).rejects.toMatchObject({ code: 'ERR_NOT_INITIALIZED' })
    const engine = await open()
    await expect(migrate()).rejects.toMatchObject({ code: 'ERR_DATA_DIR_LOCKED' })
    await engine.close()
    await expect(migrate({ to: 'mysql://localhost/x' })).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      field: 'to',
    })
    await expect(migrate({ from: '' })).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'from' })
    const former = dataDir
    dataDir = join(folder.path, 'other')
    const other = await open(database.address)
    await other.close()
    dataDir = former
    await expect(migrate()).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'to' })
    expect(await readdir(dataDir)).toContain('alcove.sqlite')
    const reopened = await open()
    await reopened.close()
  })

  it('stays the only valid copy after an interrupted migration: the database is refused while the folder has its file', async () => {
    await fill()
    const former = join(dataDir, 'alcove.sqlite')
    const { formerDatabase } = await migrate()
    // A kill before the last step leaves this state.
    await rename(formerDatabase, former)
    await rename(join(dataDir, 'words.migrated'), join(dataDir, 'words'))
    await expect(open(database.address)).rejects.toThrow('run it a second time')
    const output = await runAlcove(['context', 'list', '--data-dir', dataDir, '--database-url', database.address], {
      cwd: folder.path,
    })
    expect(output).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('run it a second time') as string })
    const engine = await open()
    const session = engine.as(engine.owner)
    await session.contexts.create({ ...NEW_CONTEXT, name: 'Later' })
    await expectMigratedAsItIs(engine)
    // An engine has worked on the database, so no migration ever empties it.
    await rename(formerDatabase, former)
    await rename(join(dataDir, 'words.migrated'), join(dataDir, 'words'))
    const back = await open()
    await back.close()
    // Each would treat the files of the other as leftovers of a crash.
    await expect(open(database.address)).rejects.toMatchObject({
      code: 'ERR_DATA_DIR_MISMATCH',
      message: expect.stringMatching(/has its own database, alcove\.sqlite/) as string,
    })
    await expect(migrate()).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'to' })
  })

  it('cannot be migrated while a command uses its database, and admits none during the migration', async () => {
    await fill()
    const command = await openLocalDatabase({ dataDir })
    await expect(migrate()).rejects.toMatchObject({ code: 'ERR_DATA_DIR_LOCKED' })
    // Engines that open and close in the same process do not take the lock from the command.
    await (await open()).close()
    const args = ['migrate', '--from', dataDir, '--to', database.address]
    const output = await runAlcove(args, { cwd: folder.path })
    expect(output).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('a command, such as a backup, works on') as string,
    })
    await command.close()
    let during: Promise<unknown> | undefined
    await migrate({
      onProgress: () => {
        during ??= openLocalDatabase({ dataDir }).catch((error: unknown) => error)
      },
    })
    expect(await during).toMatchObject({ code: expect.stringMatching(/DATA_DIR_LOCKED|NOT_INITIALIZED/) as string })
  })
})

it('a migration to a database with pgvector copies each vector unchanged', async () => {
  await fill()
  const pglite = await startPglite()
  try {
    const result = await migrateDataDir({ from: dataDir, to: pglite.url })
    expect(result).toMatchObject({ documents: 2, vectorStore: 'pgvector', vectors: 2, indexedChunks: 2 })
    expect(await readdir(dataDir)).not.toContain('vectors')
    expect(await readdir(dataDir)).not.toContain('words')
    const knex = openPostgres(pglite.url, { maxConnections: 1 })
    const [source, target] = [new LanceDbVectorIndex(join(dataDir, 'vectors.migrated')), new PgVectorIndex({ knex })]
    const [name = ''] = await target.listCollections()
    const keys = [1, 2].map((documentId) => ({ documentId, chunk: 0, window: 0 }))
    const collection = { name, dimensions: new MemoryEmbeddingModel().profile.dimensions }
    const found = await target.read(collection, keys)
    expect(found).toEqual(await source.read(collection, keys))
    expect(found).not.toContain(undefined)
    await source.close()
    await target.close()
  } finally {
    await pglite.dispose()
  }
})

it('a migration without some vectors names the command that computes them, with the new place of the data', async () => {
  await fill()
  await rm(join(dataDir, 'vectors'), { recursive: true })
  const pglite = await startPglite()
  try {
    const args = ['migrate', '--from', dataDir, '--to', pglite.url, '--data-dir', 'another']
    const { exitCode, stderr } = await runAlcoveHere(args, { cwd: folder.path })
    const hint = `"alcove doctor --repair --data-dir ${dataDir} --database-url URL" computes the missing vectors`
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(hint)])
  } finally {
    await pglite.dispose()
  }
})
