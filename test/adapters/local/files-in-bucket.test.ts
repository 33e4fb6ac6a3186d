import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { backupDataDir, type LocalEngineOptions, openLocalEngine } from '../../../adapters/local/index.js'
import { MemoryEmbeddingModel, MemoryFileStore } from '../../../adapters/memory/index.js'
import type { Engine } from '../../../src/index.js'
import { collect } from '../../conformance/harness.js'
import { NEW_CONTEXT, uploadText } from '../../src/engine/memory-engine.js'
import { DATABASES } from '../../src/outbox/database.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { runAlcoveHere } from '../cli/run-alcove-here.js'
import { failWith } from '../s3/contents.js'
import { type S3Server, startS3Server } from '../s3/s3-server.js'

const TEXT = 'The harbour is closed in winter.'
const ORPHAN = 'aaaaaaaa-0000-4000-8000-000000000001'
const MISMATCH = { code: 'ERR_DATA_DIR_MISMATCH' }

let server: S3Server
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let engines: Engine[]
/** A prefix that no other test uses. */
let prefix: string
let filesUrl: string
let next = 0

beforeAll(async () => {
  server = await startS3Server()
})

beforeEach(async () => {
  for (const [name, value] of Object.entries(server.environment)) vi.stubEnv(name, value)
  folder = await temporaryFolder()
  engines = []
  next += 1
  prefix = `test-${next}`
  filesUrl = `s3://${server.bucket}/${prefix}`
})

afterEach(async () => {
  server.intercept = () => false
  await Promise.all(engines.map((engine) => engine.close()))
  await folder.remove()
  vi.unstubAllEnvs()
})

afterAll(async () => {
  await server.dispose()
})

type Options = Omit<Partial<LocalEngineOptions>, 'filesUrl'> & { readonly filesUrl?: string | undefined }

/** @param options with a `filesUrl` of `undefined` for files in the folder */
async function open(options: Options = {}): Promise<Engine> {
  const all = {
    dataDir: join(folder.path, 'data'),
    filesUrl,
    embeddingModels: [new MemoryEmbeddingModel()],
    ...options,
  }
  const engine = await openLocalEngine(all as LocalEngineOptions)
  engines.push(engine)
  return engine
}

/**
 * Uploads one document.
 * @returns the context's id, and the document's UUID
 */
async function fill(engine: Engine): Promise<{ readonly id: number; readonly uuid: string }> {
  const session = engine.as(engine.owner)
  const { id } = await session.contexts.create(NEW_CONTEXT)
  return { id, uuid: await uploadText(session, id, 'harbour.txt', TEXT) }
}

/** Objects under the prefix of the test. */
async function objects(): Promise<string[]> {
  const names = await server.objects()
  return names.filter((name) => name.startsWith(`${prefix}/`)).map((name) => name.slice(prefix.length + 1))
}

async function put(name: string): Promise<void> {
  await server.client.send(new PutObjectCommand({ Bucket: server.bucket, Key: `${prefix}/${name}`, Body: 'text' }))
}

describe('an engine with its files in a bucket', () => {
  it('stores files there, finds them, returns them, and deletes them', async () => {
    const engine = await open()
    const { id, uuid } = await fill(engine)
    expect((await objects()).sort()).toEqual([uuid, 'database-id'].sort())
    expect(await readdir(join(folder.path, 'data'))).not.toContain('files')
    const session = engine.as(engine.owner)
    expect(await session.search(id, TEXT)).toMatchObject([{ docId: 1 }])
    expect(await engine.administration.verify()).toMatchObject({ problems: [] })
    expect(Buffer.concat(await collect(await session.documents.open(uuid))).toString()).toBe(TEXT)
    await session.documents.delete(uuid)
    expect(await engine.whenCleared()).toBe('done')
    expect(await objects()).toEqual(['database-id'])
  })

  it('sweeps the bucket at the next start', async () => {
    const engine = await open()
    const { id, uuid } = await fill(engine)
    await engine.close()
    await put(ORPHAN)
    const reopened = await open()
    await reopened.whenCleared()
    expect((await objects()).sort()).toEqual([uuid, 'database-id'].sort())
    expect(await reopened.as(reopened.owner).search(id, TEXT)).toHaveLength(1)
  })

  it.each(DATABASES.filter(({ name }) => name === 'PostgreSQL'))(
    'stores its rows on $name',
    async ({ open: begin }) => {
      const database = await begin()
      const engine = await open({ databaseUrl: database.address })
      const { id, uuid } = await fill(engine)
      expect(await objects()).toContain(uuid)
      expect(await engine.as(engine.owner).search(id, TEXT)).toHaveLength(1)
      await engine.close()
      await expect(open({ databaseUrl: database.address, filesUrl: undefined })).rejects.toMatchObject(MISMATCH)
      await database.dispose()
    },
  )

  it('reports an unreachable bucket or refused access, and leaves the folder free', async () => {
    server.intercept = failWith(403, 'AccessDenied')
    await expect(open()).rejects.toMatchObject({ code: 'ERR_STORAGE', isTransient: false })
    server.intercept = failWith(503, 'SlowDown')
    await expect(open()).rejects.toMatchObject({ code: 'ERR_STORAGE', isTransient: true })
    server.intercept = () => false
    await expect(open({ filesUrl: 's3://no-such-bucket' })).rejects.toThrow('there is no bucket of that name')
    await fill(await open())
  })

  it('reports a missing capability of the server before it creates anything, each time', async () => {
    server.intercept = (request, response) => {
      if (!request.url?.includes('uploads')) return false
      response.writeHead(501).end('<Error><Code>NotImplemented</Code></Error>')
      return true
    }
    for (let time = 0; time < 2; time += 1) {
      await expect(open()).rejects.toMatchObject({
        code: 'ERR_UNSUPPORTED',
        message: expect.stringMatching(/lacks ListMultipartUploads/) as string,
      })
    }
    expect(await objects()).toEqual([])
    server.intercept = () => false
    await fill(await open())
  })

  it('reports an invalid address', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_S3', 'localhost:9000')
    await expect(open()).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'AWS_ENDPOINT_URL_S3' })
  })
})

describe('the location of files', () => {
  it.each([
    's3://',
    's3:///prefix',
    's3://Bucket',
    's3://bucket/../other',
    's3://bucket//prefix',
    's3://bucket/prefix?region=x',
    's3://key:secret@bucket',
    'https://bucket.s3.amazonaws.com',
    './files',
    '',
    7,
  ])('cannot be %s', async (url) => {
    await expect(open({ filesUrl: url as string })).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      field: 'filesUrl',
      message: expect.not.stringContaining('secret@') as string,
    })
    expect(await readdir(folder.path)).toEqual([])
  })

  it('is a bucket or a prefix in it, with or without a slash at its end', async () => {
    await fill(await open({ filesUrl: `s3://${server.bucket}` }))
    await Promise.all(engines.map((engine) => engine.close()))
    await open({ filesUrl: `s3://${server.bucket}/` })
    const dataDir = join(folder.path, 'other')
    await fill(await open({ dataDir, filesUrl: `${filesUrl}/deep/er` }))
    expect((await objects()).every((name) => name.startsWith('deep/er/'))).toBe(true)
  })

  it('never changes after the database is created: any other location is refused without a change', async () => {
    const engine = await open()
    const { id } = await fill(engine)
    await engine.close()
    const before = await server.objects()
    for (const other of [undefined, `${filesUrl}-2`, `s3://${server.bucket}`]) {
      await expect(open({ filesUrl: other })).rejects.toMatchObject({
        ...MISMATCH,
        message: expect.stringContaining(`are in ${filesUrl}/: open it with filesUrl`) as string,
      })
    }
    expect(await server.objects()).toEqual(before)
    expect(await readdir(join(folder.path, 'data'))).not.toContain('files')
    const reopened = await open()
    await reopened.whenCleared()
    expect(await reopened.as(reopened.owner).search(id, TEXT)).toHaveLength(1)
    expect(await reopened.administration.verify()).toMatchObject({ problems: [] })
  })

  it('is the folder for a database that started there', async () => {
    const engine = await open({ filesUrl: undefined })
    const { id } = await fill(engine)
    await engine.close()
    const inFolder = { ...MISMATCH, message: expect.stringContaining('are in the data folder') as string }
    await expect(open()).rejects.toMatchObject(inFolder)
    const reopened = await open({ filesUrl: undefined })
    expect(await reopened.as(reopened.owner).search(id, TEXT)).toHaveLength(1)
    expect(await objects()).toEqual([])
  })

  it('contains the files of one database only', async () => {
    await fill(await open())
    const other = join(folder.path, 'other')
    const belongs = { ...MISMATCH, message: expect.stringContaining('belong to another database') as string }
    const before = await objects()
    await expect(open({ dataDir: other })).rejects.toMatchObject(belongs)
    expect(await objects()).toEqual(before)
    await fill(await open({ dataDir: other, filesUrl: `${filesUrl}-2` }))
  })

  it('is not accepted as new when it contains files, nor as known when its mark is missing', async () => {
    await put(ORPHAN)
    await expect(open()).rejects.toMatchObject(MISMATCH)
    expect(await objects()).toEqual([ORPHAN])
    const url = `${filesUrl}/more`
    await (await open({ filesUrl: url })).close()
    const mark = { Bucket: server.bucket, Key: `${prefix}/more/database-id` }
    await server.client.send(new DeleteObjectCommand(mark))
    const lost = { ...MISMATCH, message: expect.stringContaining('AWS_ENDPOINT_URL_S3') as string }
    await expect(open({ filesUrl: url })).rejects.toMatchObject(lost)
  })

  it('cannot be set when the host passes its own file store', async () => {
    const { filesUrl: _, ...options } = { filesUrl, fileStore: new MemoryFileStore() }
    await expect(open(options)).rejects.toThrow('filesUrl: cannot be given together with fileStore')
    await (await open()).close()
    await fill(await open({ filesUrl: undefined, ...options }))
    expect(await objects()).toEqual(['database-id'])
  })
})

describe('the command line with --files-url', () => {
  it('keeps the database of a first init that fails, because the bucket has its id', async () => {
    const init = async () => await runAlcoveHere(['init'], { cwd: folder.path, env: { ALCOVE_FILES_URL: filesUrl } })
    const keys = join(folder.path, 'alcove-data', 'keys')
    await mkdir(keys, { recursive: true })
    await writeFile(join(keys, 'signing-keys.json'), 'this is no key')
    expect((await init()).stderr).toContain('ERR_SIGNING_KEY')
    expect(await objects()).toEqual(['database-id'])
    await rm(join(keys, 'signing-keys.json'))
    expect(await init()).toMatchObject({ exitCode: 0, stderr: '' })
  })

  it('works on the bucket, and excludes it from backups', async () => {
    const run = async (...args: string[]) =>
      await runAlcoveHere([...args, '--json'], { cwd: folder.path, env: { ALCOVE_FILES_URL: filesUrl } })
    expect((await run('init')).exitCode).toBe(0)
    expect((await run('context', 'create', 'Harbour')).exitCode).toBe(0)
    await writeFile(join(folder.path, 'harbour.txt'), TEXT)
    expect((await run('ingest', '--context', 'Harbour', 'harbour.txt')).exitCode).toBe(0)
    expect((await run('search', '--context', 'Harbour', TEXT)).stdout).toContain(TEXT)
    expect((await run('doctor')).exitCode).toBe(0)
    expect(await objects()).toHaveLength(2)
    for (const command of ['backup', 'restore']) {
      const refused = await run(command, join(folder.path, 'backup.tar'))
      expect([refused.exitCode, refused.stderr]).toEqual([
        1,
        expect.stringContaining('with --files-url, copy the bucket'),
      ])
    }
    const without = await runAlcoveHere(['doctor', '--json'], { cwd: folder.path })
    expect([without.exitCode, without.stderr]).toEqual([1, expect.stringContaining('--files-url')])
    const dataDir = join(folder.path, 'alcove-data')
    await expect(backupDataDir({ dataDir, file: join(folder.path, 'backup.tar') })).rejects.toMatchObject(MISMATCH)
    expect((await readdir(folder.path)).sort()).toEqual(['alcove-data', 'harbour.txt'])
  })
})
