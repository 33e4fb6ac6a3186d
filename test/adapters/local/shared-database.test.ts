import { randomUUID } from 'node:crypto'
import { cp, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openPostgres } from '../../../adapters/knex/index.js'
import { openLocalEngine } from '../../../adapters/local/index.js'
import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'
import { PgVectorIndex } from '../../../adapters/pgvector/index.js'
import type { Engine, VerifyReport } from '../../../src/index.js'
import { type PgliteServer, startPglite } from '../../servers/pglite-server.js'
import { NEW_CONTEXT, uploadText } from '../../src/engine/memory-engine.js'
import { DATABASES, type TestDatabase } from '../../src/outbox/database.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { runAlcoveHere } from '../cli/run-alcove-here.js'

const POSTGRES = DATABASES.filter(({ name }) => name === 'PostgreSQL')

describe.each(POSTGRES)('engines that share a database on $name', ({ openEmpty }) => {
  let pglite: PgliteServer
  let vectors: Knex
  let database: TestDatabase
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let engines: Engine[]

  beforeAll(async () => {
    pglite = await startPglite()
    vectors = openPostgres(pglite.url, { maxConnections: 1 })
  })

  afterAll(async () => {
    await vectors.destroy()
    await pglite.dispose()
  })

  beforeEach(async () => {
    database = await openEmpty()
    folder = await temporaryFolder()
    engines = []
  })

  afterEach(async () => {
    await Promise.all(engines.map((engine) => engine.close()))
    await database.dispose()
    await folder.remove()
  })

  /** The vectors are on another server here, which allows one connection. */
  const tablePrefix = `t${randomUUID().replaceAll('-', '').slice(0, 20)}_`
  const start = async (dataDir = folder.path): Promise<Engine> => {
    const engine = await openLocalEngine({
      dataDir,
      databaseUrl: database.address,
      embeddingModels: [new MemoryEmbeddingModel()],
      vectorIndex: new PgVectorIndex({ knex: vectors, keepKnex: true, tablePrefix }),
    })
    engines.push(engine)
    return engine
  }

  it('and a folder can start at once and have one owner, and all find and delete the documents of each', async () => {
    const [one, other] = await Promise.all([start(), start()])
    expect(one.owner).toEqual(other.owner)
    const [here, there] = [one.as(one.owner), other.as(other.owner)]
    const { id } = await here.contexts.create(NEW_CONTEXT)
    const uuid = await there.documents.upload(id, {
      fileName: 'leave.txt',
      content: Buffer.from('Parental leave takes eighteen weeks.'),
    })
    // Either engine may have processed it.
    await here.documents.whenProcessed(uuid)
    for (const session of [here, there]) {
      expect(await session.search(id, 'Parental leave takes eighteen weeks.')).toMatchObject([{ docId: 1 }])
    }
    await here.documents.delete(uuid)
    expect(await there.search(id, 'Parental leave takes eighteen weeks.')).toEqual([])
    await Promise.all([one.whenCleared(), other.whenCleared()])
    expect(
      (await readdir(join(folder.path, 'files'), { recursive: true })).filter((path) => path.includes(uuid)),
    ).toEqual([])
    for (const engine of [one, other]) {
      expect(await engine.administration.verify()).toMatchObject({ problems: [] } satisfies Partial<VerifyReport>)
    }
  })

  it('are refused on a folder that is not theirs, for example an unmounted one, with a remedy', async () => {
    const engine = await start()
    const session = engine.as(engine.owner)
    await uploadText(session, (await session.contexts.create(NEW_CONTEXT)).id, 'a.txt', 'Harbour lights.')
    await engine.close()
    const lost = await temporaryFolder()
    const refusal = await start(lost.path).catch((error: unknown) => error as Error & { readonly code?: string })
    expect(refusal).toMatchObject({ code: 'ERR_DATA_DIR_MISMATCH' })
    expect(await readdir(lost.path)).toEqual([])
    const [, id = ''] = /write (\S+) into/.exec((refusal as Error).message) ?? []
    await writeFile(join(lost.path, 'database-id'), id)
    await cp(join(folder.path, 'keys'), join(lost.path, 'keys'), { recursive: true })
    const reopened = await start(lost.path)
    expect((await reopened.administration.verify()).problems.map(({ code }) => code)).toContain('file-missing')
    await reopened.close()
    await lost.remove()
  })

  it('need the vector index of the first engine, even on a database that was created without it', async () => {
    const options = {
      dataDir: folder.path,
      databaseUrl: database.address,
      embeddingModels: [new MemoryEmbeddingModel()],
    }
    await (await openLocalEngine(options)).close()
    const engine = await start()
    await engine.as(engine.owner).contexts.create(NEW_CONTEXT)
    await expect(openLocalEngine(options)).rejects.toMatchObject({
      code: 'ERR_UNSUPPORTED',
      message: expect.stringContaining('give this engine the same vectorIndex') as string,
    })
  })

  it('are refused on a folder that has its own database', async () => {
    const own = await openLocalEngine({ dataDir: folder.path, embeddingModels: [new MemoryEmbeddingModel()] })
    await own.close()
    await expect(start()).rejects.toMatchObject({
      code: 'ERR_DATA_DIR_MISMATCH',
      message: expect.stringMatching(/copy that to a new database with "alcove migrate"/) as string,
    })
    expect(
      await runAlcoveHere(['context', 'list', '--data-dir', folder.path, '--database-url', database.address], {
        cwd: folder.path,
      }),
    ).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('alcove migrate') as string })
  })

  it('sweep in turn: one sweeps for all, and none sweeps at its start within the hour', async () => {
    const swept: string[] = []
    const telemetry = { record: ({ name }: { readonly name: string }) => void swept.push(name) }
    const options = { dataDir: folder.path, databaseUrl: database.address, telemetry }
    const open = async (): Promise<void> => {
      const engine = await openLocalEngine({ ...options, embeddingModels: [new MemoryEmbeddingModel()] })
      engines.push(engine)
    }
    await Promise.all([open(), open()])
    const count = (name: string): number => swept.filter((each) => each === name).length
    await expect.poll(() => count('doctor.checked'), { timeout: 20_000 }).toBe(1)
    await open()
    const due = database.knex('alcove_jobs').where({ kind: 'sweep' })
    await expect.poll(async () => ((await due.clone()) as unknown[]).length).toBe(1)
    const [job] = (await due) as readonly { readonly due_ms: string; readonly lease_expires_ms: string }[]
    expect(Number(job?.due_ms) - Date.now()).toBeGreaterThan(3_000_000)
    expect([count('ingestion.swept'), count('doctor.checked')]).toEqual([1, 1])
  })

  it('receive 50 files at once, 20 of them equal: these have one record, and the quota holds', async () => {
    const sessions = (await Promise.all([start(), start()])).map((engine) => engine.as(engine.owner))
    const [session] = sessions
    if (session === undefined) return
    const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings: { maxSizeBytes: 1_000 } })
    const upload = async (number: number, fileName: string, text: string): Promise<string> =>
      (await sessions[number % 2]?.documents.upload(id, { fileName, content: Buffer.from(text) })) ?? ''
    const same = await Promise.all(
      Array.from({ length: 20 }, (_, number) => upload(number, 'same.txt', 'the same words')),
    )
    expect(new Set(same).size).toBe(1)
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, number) => upload(number, `${number}.txt`, `number ${number} `.repeat(10))),
    )
    const taken = outcomes.filter(({ status }) => status === 'fulfilled').length
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
    for (const reason of reasons) expect(reason).toMatchObject({ code: 'ERR_QUOTA_EXCEEDED' })
    const documents = await session.documents.list(id)
    expect(documents).toHaveLength(1 + taken)
    const received = await Promise.all(documents.map(({ fileName }) => session.documents.whenProcessed(fileName)))
    expect(received.map(({ error }) => error)).toEqual(received.map(() => null))
    const receipts = await Promise.all(documents.map(({ fileName }) => session.documents.get(fileName)))
    const bytes = receipts.reduce((sum, { receipt }) => sum + (receipt?.bytes ?? 0), 0)
    expect(bytes).toBeLessThanOrEqual(1_000)
    expect(taken).toBeGreaterThanOrEqual(5)
  })

  it('without pgvector keep their vectors in the folder, where each finds the vectors of the others', async () => {
    const options = {
      dataDir: folder.path,
      databaseUrl: database.address,
      embeddingModels: [new MemoryEmbeddingModel()],
    }
    const engine = await openLocalEngine(options)
    engines.push(engine)
    const other = await openLocalEngine({ ...options, roles: [] })
    engines.push(other)
    const [session, there] = [engine.as(engine.owner), other.as(other.owner)]
    const { id } = await session.contexts.create(NEW_CONTEXT)
    expect(await there.search(id, 'The harbour is closed in winter.')).toEqual([])
    const uuid = await uploadText(session, id, 'a.txt', 'The harbour is closed in winter.')
    expect(await there.search(id, 'The harbour is closed in winter.')).toHaveLength(1)
    await there.documents.delete(uuid)
    expect(await session.search(id, 'The harbour is closed in winter.')).toEqual([])
    await engine.whenCleared()
    expect(await readdir(join(folder.path, 'vectors'))).not.toEqual([])
    // An engine that assumed sole use of the folder would not see these rows.
    const { databaseUrl: _, ...alone } = options
    await expect(openLocalEngine({ ...alone, knex: database.knex })).rejects.toMatchObject({
      code: 'ERR_UNSUPPORTED',
    })
  })

  it('need matching settings: another folder with documents, another database, and both options at once are refused', async () => {
    const engine = await start()
    const session = engine.as(engine.owner)
    const { id } = await session.contexts.create(NEW_CONTEXT)
    await uploadText(session, id, 'a.txt', 'The harbour is closed in winter.')
    await engine.close()
    await expect(openLocalEngine({ dataDir: folder.path })).rejects.toMatchObject({ code: 'ERR_DATA_DIR_MISMATCH' })
    const both = { dataDir: folder.path, databaseUrl: database.address, knex: database.knex }
    await expect(openLocalEngine(both)).rejects.toThrow('databaseUrl: cannot be given together with knex')
    await expect(openLocalEngine({ dataDir: folder.path, databaseUrl: 'localhost' })).rejects.toThrow(
      'databaseUrl: must be a URL of a PostgreSQL database',
    )
  })

  it('all receive the vector index of the first engine: one without it would not find its vectors', async () => {
    await (await start()).close()
    const without = openLocalEngine({ dataDir: folder.path, databaseUrl: database.address })
    await expect(without).rejects.toMatchObject({
      code: 'ERR_UNSUPPORTED',
      message: expect.stringContaining('give this engine the same vectorIndex') as string,
    })
    await (await start()).close()
  })

  it('also serve the command line with --database-url', async () => {
    const run = async (...args: string[]) =>
      await runAlcoveHere([...args, '--data-dir', folder.path, '--database-url', database.address, '--json'], {
        cwd: folder.path,
      })
    const none = await run('context', 'list')
    expect([none.exitCode, none.stderr]).toEqual([1, expect.stringContaining('run "alcove init" first')])
    expect((await run('init', '--company', 'Harbour')).exitCode).toBe(0)
    expect((await run('init')).exitCode).toBe(1)
    const created = JSON.parse((await run('context', 'create', 'Handbook')).stdout) as { id: number }
    expect(JSON.parse((await run('context', 'list')).stdout)).toMatchObject([{ id: created.id, name: 'Handbook' }])
    expect(JSON.parse((await run('company', 'list')).stdout)).toMatchObject([{ name: 'Harbour' }])
    const backup = await run('backup', join(folder.path, '../backup.tgz'))
    expect([backup.exitCode, backup.stderr]).toEqual([1, expect.stringContaining('use pg_dump and pg_restore')])
    expect((await run('doctor')).exitCode).toBe(0)
    expect(await readdir(folder.path)).not.toContain('alcove.sqlite')
  })
})
