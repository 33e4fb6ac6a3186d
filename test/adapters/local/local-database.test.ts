import fs, { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KnexStorage, openSqlite } from '../../../adapters/knex/index.js'
import { type LocalEngineOptions, openLocalDatabase, openLocalEngine } from '../../../adapters/local/index.js'
import { MemoryEmbeddingModel, MemoryTokenSigner } from '../../../adapters/memory/index.js'
import type { Engine } from '../../../src/index.js'
import { NEW_CONTEXT } from '../../src/engine/memory-engine.js'
import { temporaryFolder } from '../../temporary-folder.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
})

afterEach(async () => {
  await folder.remove()
})

const open = async (name: string, options: Partial<LocalEngineOptions> = {}): Promise<Engine> =>
  openLocalEngine({ dataDir: join(folder.path, name), embeddingModels: [new MemoryEmbeddingModel()], ...options })

describe('an engine with only the database', () => {
  it('refuses a re-index for which the disk of the folder has no room', async () => {
    const dataDir = join(folder.path, 'data')
    const engine = await openLocalEngine({ dataDir })
    const { contexts, documents } = engine.as(engine.owner)
    const { id } = await contexts.create(NEW_CONTEXT)
    const uuid = await documents.upload(id, { fileName: 'a.txt', content: 'The heron nests in reeds.' })
    await documents.whenProcessed(uuid)
    const database = await openLocalDatabase({ dataDir })
    const { statfs } = fs
    try {
      Object.assign(fs, { statfs: async (path: string) => Object.assign(await statfs(path), { bavail: 0 }) })
      syncBuiltinESMExports()
      const change = database.as(database.owner).contexts.update(id, { settings: { chunkSizeTokens: 100 } })
      await expect(change).rejects.toMatchObject({ code: 'ERR_STORAGE_FULL' })
    } finally {
      Object.assign(fs, { statfs })
      syncBuiltinESMExports()
    }
    expect(await contexts.settings(id)).toMatchObject({ reindexing: null })
    await database.as(database.owner).contexts.update(id, { settings: { chunkSizeTokens: 100 } })
    expect(await contexts.whenReindexed(id)).toMatchObject({ chunkSizeTokens: 100 })
    await database.close()
    await engine.close()
  })
})

describe('two folders on a database of the host', () => {
  const secretKey = new Uint8Array(32).fill(3)

  it.each(['knex', 'storage'] as const)(
    'given as %s keep each other’s job leases and upload reservations',
    async (option) => {
      const filename = join(folder.path, 'host.sqlite')
      const connections = [openSqlite(filename), openSqlite(filename)]
      const [one, two] = connections.map((knex) =>
        option === 'knex' ? { knex } : { storage: new KnexStorage({ knex, keepKnex: true }) },
      )
      const first = await open('one', { secretKey, ...one })
      const { id } = await first.as(first.owner).contexts.create(NEW_CONTEXT)
      const [knex = openSqlite(filename)] = connections
      const storage = new KnexStorage({ knex, keepKnex: true })
      // The first engine processes one document and receives another.
      const [held] = await storage.transaction(async ({ jobs, uploads }) => {
        await uploads.insert({ uuid: 'held', contextId: id, sizeBytes: 5 }, 60_000)
        await jobs.enqueue({ kind: 'ingest-document', subject: 12_345 })
        return await jobs.claim({ kinds: ['ingest-document'], leaseMs: 60_000 })
      })
      const second = await open('two', { secretKey, ...two })
      await second.whenCleared()
      const isHeld = await storage.transaction(async ({ jobs, uploads }) => [
        held !== undefined && (await jobs.extend(held, 60_000)),
        await uploads.extend('held', 60_000),
      ])
      expect(isHeld).toEqual([true, true])
      await second.close()
      await first.close()
      for (const connection of connections) await connection.destroy()
    },
  )

  it('release at once the job leases in a folder’s own database', async () => {
    await (await open('one')).close()
    const knex = openSqlite(join(folder.path, 'one', 'alcove.sqlite'))
    const storage = new KnexStorage({ knex })
    await storage.transaction(async ({ jobs }) => {
      await jobs.enqueue({ kind: 'ingest-document', subject: 12_345 })
      await jobs.claim({ kinds: ['ingest-document'], leaseMs: 60_000 })
    })
    const engine = await open('one')
    const due = async () => (await storage.read(({ jobs }) => jobs.waiting(['ingest-document']))).length
    await expect.poll(due).toBe(0)
    await engine.close()
    await storage.close()
  })
})

describe('a folder whose documents belong to a database of the host', () => {
  const secretKey = new Uint8Array(32).fill(3)
  const contents = async (): Promise<string[]> => await readdir(join(folder.path, 'data', 'files'), { recursive: true })

  it.each<[string, (filename: string) => Partial<LocalEngineOptions>]>([
    ['without it', () => ({})],
    ['under another prefix', (filename) => ({ knex: openSqlite(filename), tablePrefix: 'other_' })],
    ['with another one', () => ({ knex: openSqlite(join(folder.path, 'another.sqlite')) })],
  ])('is not opened %s, and loses nothing', async (_name, wrong) => {
    const filename = join(folder.path, 'host.sqlite')
    const knex = openSqlite(filename)
    const first = await open('data', { knex, secretKey })
    const session = first.as(first.owner)
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const uuid = await session.documents.upload(id, { fileName: 'a.txt', content: Buffer.from('Kept for ever.') })
    await session.documents.whenProcessed(uuid)
    await first.close()
    const before = await contents()
    const options = wrong(filename)
    await expect(open('data', { secretKey, ...options })).rejects.toMatchObject({ code: 'ERR_DATA_DIR_MISMATCH' })
    await options.knex?.destroy()
    // The folder of a version that gave no ids yet.
    await rm(join(folder.path, 'data', 'database-id'))
    const others = wrong(filename)
    await expect(open('data', { secretKey, ...others })).rejects.toMatchObject({ code: 'ERR_DATA_DIR_MISMATCH' })
    await others.knex?.destroy()
    expect(await contents()).toEqual(before)
    const reopened = await open('data', { knex, secretKey })
    expect((await reopened.as(reopened.owner).documents.chunks(uuid)).map(({ content }) => content)).toEqual([
      'Kept for ever.',
    ])
    await reopened.close()
    await knex.destroy()
  })

  it('is distinguished from a folder that was never initialised', async () => {
    const knex = openSqlite(join(folder.path, 'host.sqlite'))
    await (await open('data', { knex })).close()
    await knex.destroy()
    await expect(openLocalDatabase({ dataDir: join(folder.path, 'data') })).rejects.toThrow(
      /an application keeps it in its own/,
    )
    await expect(openLocalDatabase({ dataDir: join(folder.path, 'none') })).rejects.toThrow(/run "alcove init" first/)
  })
})

describe('the file with the secret-encryption key', () => {
  const keyFile = (): string => join(folder.path, 'data/keys/secret-key')
  const link = fs.link

  afterEach(() => {
    fs.link = link
    syncBuiltinESMExports()
  })

  it('that is missing is not replaced, and can be put back', async () => {
    const engine = await open('data')
    const destination = { url: 'https://8.8.8.8/in', eventTypes: null }
    await engine.administration.destinations.create(destination)
    await engine.close()
    const key = await readFile(keyFile(), 'utf8')
    await rm(keyFile())
    const missing = {
      code: 'ERR_SECRET_KEY',
      message: expect.stringMatching(
        /secret-key, is missing, but the database has secrets .*: put the file back, or give its path with secretKeyFile/,
      ) as string,
    }
    await expect(open('data')).rejects.toMatchObject(missing)
    expect(await readdir(dirname(keyFile()))).toEqual(['signing-keys.json'])
    await expect(openLocalDatabase({ dataDir: join(folder.path, 'data') })).rejects.toMatchObject(missing)
    expect(await readdir(dirname(keyFile()))).toEqual(['signing-keys.json'])
    await writeFile(keyFile(), key)
    const reopened = await open('data')
    expect(await reopened.administration.destinations.list()).toMatchObject([destination])
    await reopened.close()
  })

  it('that contains another key is not changed', async () => {
    await (await open('data')).close()
    const other = `${Buffer.alloc(32, 9).toString('base64')}\n`
    await writeFile(keyFile(), other)
    await expect(open('data')).rejects.toMatchObject({ code: 'ERR_SECRET_KEY' })
    expect(await readFile(keyFile(), 'utf8')).toBe(other)
  })

  it('keeps its first content when the engine fails to start for another reason', async () => {
    const signingKeyFile = join(folder.path, 'no-key')
    await writeFile(signingKeyFile, 'no key')
    await expect(open('data', { signingKeyFile })).rejects.toMatchObject({ code: 'ERR_SIGNING_KEY' })
    const made = await readFile(keyFile(), 'utf8')
    await (await open('data')).close()
    expect(await readFile(keyFile(), 'utf8')).toBe(made)
  })

  it('is created on a file system without hard links, and so is the signing key', async () => {
    fs.link = async () => Promise.reject(Object.assign(new Error('operation not permitted'), { code: 'EPERM' }))
    syncBuiltinESMExports()
    await (await open('data')).close()
    expect(Buffer.from(await readFile(keyFile(), 'utf8'), 'base64')).toHaveLength(32)
    expect((await fs.stat(keyFile())).mode & 0o777).toBe(0o600)
    expect((await readdir(dirname(keyFile()))).sort()).toEqual(['secret-key', 'signing-keys.json'])
    await (await open('data')).close()
  })

  it('is not overwritten when another process creates it first', async () => {
    const theirs = `${Buffer.alloc(32, 5).toString('base64')}\n`
    fs.link = async (from, to) => {
      await writeFile(String(to), theirs)
      await link(from, to)
    }
    syncBuiltinESMExports()
    await (await open('data', { tokenSigner: new MemoryTokenSigner() })).close()
    expect(await readFile(keyFile(), 'utf8')).toBe(theirs)
  })

  it('that cannot be created causes its own error', async () => {
    await mkdir(keyFile(), { recursive: true })
    await expect(open('data')).rejects.toMatchObject({ code: 'ERR_SECRET_KEY' })
  })
})
