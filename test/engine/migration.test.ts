import { readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPostgres, openSqlite } from '../../adapters/knex/index.js'
import { LanceDbVectorIndex } from '../../adapters/lancedb/index.js'
import {
  type MigrationOptions,
  migrateDataDir,
  openLocalDatabase,
  openLocalEngine,
} from '../../adapters/local/index.js'
import { MemoryEmbeddingModel, MemoryHttpTransport } from '../../adapters/memory/index.js'
import { PgVectorIndex } from '../../adapters/pgvector/index.js'
import { PgLexicalIndex } from '../../adapters/words/index.js'
import type { Engine } from '../../src/index.js'
import { runAlcove, startAlcove } from '../cli/run-alcove.js'
import { EVENT_DATA } from '../event-data.js'
import { sized } from '../full-form.js'
import { otpCode } from '../otp-code.js'
import { DATABASES, type TestDatabase } from '../outbox/database.js'
import { startPglite } from '../pglite-server.js'
import { temporaryFolder } from '../temporary-folder.js'
import { NEW_CONTEXT, uploadText } from './memory-engine.js'

const POSTGRES = DATABASES.filter(({ name }) => name === 'PostgreSQL')
const HARBOUR = 'The harbour is closed in winter.'
const LEAVE = 'Parental leave takes eighteen weeks.'
const ROWS = sized(6_000, 12_000)
const NASTY = 'Zoë ✅ 東京 "x" \\ \' {"a": [1]} \u{1F600} 100% ? ?? :name $1'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string

beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder.path, 'data')
})

afterEach(async () => {
  await folder.remove()
})

async function open(databaseUrl?: string): Promise<Engine> {
  return await openLocalEngine({
    dataDir,
    embeddingModels: [new MemoryEmbeddingModel()],
    httpTransport: new MemoryHttpTransport(),
    ...(databaseUrl !== undefined && { databaseUrl }),
  })
}

/** A folder with something of everything. */
async function fill({ hasDestination = true } = {}): Promise<void> {
  const engine = await open()
  const { administration, owner } = engine
  const session = engine.as(owner)
  const { id } = await session.contexts.create({ ...NEW_CONTEXT, name: NASTY, description: `${NASTY}\n\t\\u0041` })
  const { id: deleted } = await session.contexts.create(NEW_CONTEXT)
  await uploadText(session, id, 'harbour.txt', HARBOUR)
  await uploadText(session, id, 'leave.txt', LEAVE)
  await session.documents.delete(await uploadText(session, id, 'gone.txt', 'Nothing of this stays.'))
  await session.contexts.delete(deleted)
  // Nobody hears of it: tables whose ids were counted, though they never had a row.
  await engine.events.record({ type: 'agent.deleted', data: EVENT_DATA['agent.deleted'], companyId: owner.companyId })
  const child = await administration.companies.create({ name: 'Child', parentId: owner.companyId })
  const other = await administration.companies.create({ name: NASTY, parentId: owner.companyId })
  // Its parent has come after it.
  await administration.companies.move(child.id, other.id)
  const ada = await administration.users.add({ email: 'ada@example.com', companyId: child.id, name: NASTY })
  const { secret } = await administration.users.oneTimePassword.begin(ada.id)
  await administration.users.oneTimePassword.confirm(ada.id, otpCode(secret, new Date()))
  if (hasDestination)
    await administration.destinations.create({
      customerId: child.id,
      url: 'https://example.com/hook',
      eventTypes: null,
    })
  await engine.events.record({ type: 'agent.created', data: EVENT_DATA['agent.created'], companyId: child.id })
  await engine.whenCleared()
  // What is under way would end between two looks at it.
  const underWay = async (): Promise<number> => {
    const { items } = await administration.deliveries.list({})
    return items.filter(({ status }) => ['pending', 'delivering'].includes(status)).length
  }
  await expect.poll(underWay, { timeout: 20_000 }).toBe(0)
  await engine.close()
}

/** All that a user sees of a folder. */
async function seen(engine: Engine) {
  const { administration, owner } = engine
  const session = engine.as(owner)
  const contexts = await session.contexts.list()
  return {
    owner,
    contexts,
    documents: await Promise.all(contexts.map(({ id }) => session.documents.list(id))),
    hits: await Promise.all(contexts.map(({ id }) => session.search(id, HARBOUR))),
    byWords: await Promise.all(contexts.map(({ id }) => session.search(id, HARBOUR, { mode: 'keyword' }))),
    companies: await administration.companies.list(),
    users: await administration.users.list(),
    keys: await administration.apiKeys.list(),
    destinations: await administration.destinations.list(),
    deliveries: (await administration.deliveries.list({})).items,
  }
}

describe.each(POSTGRES)('a folder that is migrated to $name', (postgres) => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await postgres.open()
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

  it('is the same as before, goes on with its ids, and is refused without the database', async () => {
    await fill()
    const engine = await open()
    const before = await seen(engine)
    await engine.close()
    const told: number[] = []
    const result = await migrate({ onProgress: ({ rows, totalRows }) => told.push(rows / totalRows) })
    expect(result).toMatchObject({ from: dataDir, contexts: 1, documents: 2, vectorStore: 'lancedb', vectors: 0 })
    expect(result).toMatchObject({ indexedChunks: 2 })
    expect(before.byWords).toMatchObject([[{ content: HARBOUR }]])
    expect(result.rows).toMatchObject({ contexts: 1, documents: 2, companies: 3, events: 2, deliveries: 1 })
    expect(told.at(-1)).toBe(1)
    const migrated = await open(database.address)
    expect(await seen(migrated)).toEqual(before)
    expect(await migrated.administration.verify()).toMatchObject({ problems: [] })
    const session = migrated.as(migrated.owner)
    // Two were there, of which one was deleted.
    expect(await session.contexts.create(NEW_CONTEXT)).toMatchObject({ id: 3 })
    await uploadText(session, 3, 'a.txt', LEAVE)
    expect(await session.search(3, LEAVE)).toHaveLength(1)
    await migrated.close()
    await expect(open()).rejects.toMatchObject({
      code: 'ERR_NOT_INITIALIZED',
      message: expect.stringContaining('was migrated to PostgreSQL') as string,
    })
    const told2 = await runAlcove(['context', 'list', '--data-dir', dataDir], { cwd: folder.path })
    expect(told2).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--database-url') as string })
    // Once more: nothing is to be done, and nothing is done.
    expect(await migrate()).toMatchObject({ contexts: 1, documents: 2, vectors: 0 })
    // Back to what it was.
    await rename(result.formerDatabase, join(dataDir, 'alcove.sqlite'))
    await rename(join(dataDir, 'words.migrated'), join(dataDir, 'words'))
    const back = await open()
    expect(await seen(back)).toEqual(before)
    await back.close()
  })

  it('may be worked on where a migration was ended: the next one copies it as it is then', async () => {
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

  it('W66 leaves words that are not indexed to the engine that opens it, which indexes them in the background', async () => {
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

  it('W67 has no words of an earlier copy, of documents that are deleted since', async () => {
    await fill({ hasDestination: false })
    const abort = new AbortController()
    const totals = new Set<number>()
    // Words come after all rows, and were not counted among them.
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

  it('is left as it is where somebody else has written to the database meanwhile', async () => {
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

  it('is refused where it is in use, has no data, or the database has some', async () => {
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
    const again = await open()
    await again.close()
  })

  it('is the only one of both that lives, wherever its migration was ended: the database is refused while it is there', async () => {
    await fill()
    const former = join(dataDir, 'alcove.sqlite')
    const { formerDatabase } = await migrate()
    // As a kill before the last step leaves it.
    await rename(formerDatabase, former)
    await rename(join(dataDir, 'words.migrated'), join(dataDir, 'words'))
    await expect(open(database.address)).rejects.toThrow('run it a second time')
    const told = await runAlcove(['context', 'list', '--data-dir', dataDir, '--database-url', database.address], {
      cwd: folder.path,
    })
    expect(told).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('run it a second time') as string })
    const engine = await open()
    const session = engine.as(engine.owner)
    await session.contexts.create({ ...NEW_CONTEXT, name: 'Later' })
    await expectMigratedAsItIs(engine)
    // Worked with: never emptied again.
    await rename(formerDatabase, former)
    await rename(join(dataDir, 'words.migrated'), join(dataDir, 'words'))
    const back = await open()
    await back.close()
    // Both would take each other's files for what a crash has left.
    await expect(open(database.address)).rejects.toMatchObject({
      code: 'ERR_DATA_DIR_MISMATCH',
      message: expect.stringMatching(/has its own database, alcove\.sqlite/) as string,
    })
    await expect(migrate()).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'to' })
  })

  it('waits for a command that works on its database, and lets none in', async () => {
    await fill()
    const command = await openLocalDatabase({ dataDir })
    await expect(migrate()).rejects.toMatchObject({ code: 'ERR_DATA_DIR_LOCKED' })
    // Engines that come and go in the same process do not take it from the command.
    await (await open()).close()
    const args = ['migrate', '--from', dataDir, '--to', database.address]
    const told = await runAlcove(args, { cwd: folder.path })
    expect(told).toMatchObject({
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

  it('K may be killed at any moment: run again, it goes on, and everything is there once', async () => {
    await fill()
    const knex = openSqlite(join(dataDir, 'alcove.sqlite'))
    const rows = Array.from({ length: ROWS }, (_, at) => ({ key: `filler-${String(at).padStart(6, '0')}` }))
    for (let at = 0; at < rows.length; at += 100) {
      const part = rows.slice(at, at + 100)
      await knex('alcove_regions').insert(part.map(({ key }) => ({ name: key })))
    }
    await knex.destroy()
    const engine = await open()
    const before = await seen(engine)
    await engine.close()
    const args = ['migrate', '--from', dataDir, '--to', database.address, '--json']
    let kills = 0
    for (let copied = 0; copied < ROWS; kills += 1) {
      const { child, outcome } = startAlcove(args, { cwd: folder.path })
      const least = copied + ROWS / 8
      while (child.exitCode === null && copied < least) {
        await setTimeout(5)
        copied = Number(
          (
            await database
              .knex('alcove_regions')
              .count({ rows: '*' })
              .catch(() => [{ rows: copied }])
          )[0]?.rows,
        )
      }
      child.kill('SIGKILL')
      const { exitCode, stderr } = await outcome
      expect([exitCode ?? 0, exitCode === 0 ? '' : stderr]).toEqual([0, ''])
    }
    expect(kills).toBeGreaterThan(3)
    const { exitCode, stdout, stderr } = await runAlcove(args, { cwd: folder.path })
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
    expect(JSON.parse(stdout)).toMatchObject({ documents: 2, rows: { regions: ROWS + 1 } })
    const migrated = await open(database.address)
    expect(await seen(migrated)).toEqual(before)
    await migrated.close()
  }, 120_000)
})

it('takes its vectors to a database with pgvector, each as it is', async () => {
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
