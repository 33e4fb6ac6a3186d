import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLocalEngine } from '../../../adapters/local/index.js'
import { MemoryClock } from '../../../adapters/memory/index.js'
import type { Engine } from '../../../src/index.js'
import type { TelemetryEvent } from '../../../src/ports/index.js'
import { bundledModel } from '../../bundled-model.js'
import { runAlcoveHere } from '../cli/run-alcove-here.js'
import { json } from '../model-server.js'
import { EmbeddingServer, failing } from './embedding-server.js'

const KEY = 'sk-secret-marmalade-abcdef'
const TEXT = 'The harbour is closed in winter. '.repeat(40)
const CONTEXT = { name: 'Port', description: '', caption: '', toolsJson: '[]', starterPrompts: [] }

let server: EmbeddingServer
let dataDir: string
let engine: Engine | undefined
let events: TelemetryEvent[]

beforeEach(async () => {
  server = await EmbeddingServer.start()
  server.shape = 'ollama'
  dataDir = await mkdtemp(join(tmpdir(), 'alcove-remote-'))
  events = []
})

afterEach(async () => {
  await engine?.close()
  engine = undefined
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

async function open(...[dimensions]: [dimensions?: number]): Promise<Engine> {
  engine = await openLocalEngine({
    dataDir,
    modelDirs: [bundledModel],
    remoteModels: [{ baseUrl: server.baseUrl, model: 'nomic-embed-text', apiKey: KEY, dimensions }],
    telemetry: { record: (event) => void events.push(event) },
  })
  return engine
}

describe('documents of a model on a server', () => {
  it('are found by words and by meaning, through the whole engine', async () => {
    const opened = await open()
    const session = opened.as(opened.owner)
    const { documents, contexts } = session
    const { id } = await contexts.create(CONTEXT)
    const uuid = await documents.upload(id, { fileName: 'port.txt', content: TEXT })
    await documents.whenProcessed(uuid)
    const [hit] = await session.search(id, 'When is the harbour closed?')
    expect(hit?.content).toContain('closed in winter')
    expect((await contexts.get(id)).embeddingModel).toBe('nomic-embed-text')
    const { receipt, waiting } = await documents.get(uuid)
    expect(receipt?.embeddingModel).toBe('nomic-embed-text')
    expect(waiting).toBeNull()
    expect(server.requests.every(({ headers }) => headers.authorization === `Bearer ${KEY}`)).toBe(true)
  })

  it('wait while the server is away, say so, are found by words, and are completed once it is back', async () => {
    const opened = await open(64)
    const { documents, contexts } = opened.as(opened.owner)
    const { id } = await contexts.create(CONTEXT)
    await server.stop()
    const findable = new Promise<void>((resolve) => opened.on('document.findable', () => resolve()))
    const uuid = await documents.upload(id, { fileName: 'port.txt', content: TEXT })
    await findable
    await expect
      .poll(async () => (await documents.get(uuid)).waiting, { timeout: 20_000 })
      .toBe(
        'the server of the embedding model nomic-embed-text is away; the document waits for it (ERR_MODEL_UNAVAILABLE)',
      )
    expect(await documents.get(uuid)).toMatchObject({ completed: null, error: null })
    expect((await opened.health()).ports.embeddingModels).toBe('ERR_MODEL_UNAVAILABLE')
    const failed = events.filter(({ name }) => name === 'jobs.failed')
    expect(failed.length).toBeGreaterThan(0)
    expect(failed.every(({ level }) => level === 'warn')).toBe(true)
    // The operator sees the address, the companies do not.
    expect(String(failed[0]?.error)).toContain(server.baseUrl)
    expect(JSON.stringify([events, events.map(({ error }) => String(error))])).not.toContain('marmalade')
    // Longer than five failures of a job would take to be final.
    await new Promise((resolve) => setTimeout(resolve, 8_000))
    expect((await documents.get(uuid)).error).toBeNull()
    await server.listen()
    await documents.whenProcessed(uuid)
    expect(await documents.get(uuid)).toMatchObject({ error: null, waiting: null })
    expect((await opened.health()).ports.embeddingModels).toBe('ok')
  })

  it('continue after a restart of the engine', async () => {
    const first = await open(64)
    const session = first.as(first.owner)
    const { id } = await session.contexts.create(CONTEXT)
    await server.stop()
    const uuid = await session.documents.upload(id, { fileName: 'port.txt', content: TEXT })
    await expect.poll(async () => (await session.documents.get(uuid)).waiting, { timeout: 20_000 }).not.toBeNull()
    await first.close()
    const second = await open(64)
    const { documents } = second.as(second.owner)
    expect((await documents.get(uuid)).waiting).toMatch(/ERR_MODEL_UNAVAILABLE/)
    await server.listen()
    await documents.whenProcessed(uuid)
    expect((await documents.get(uuid)).waiting).toBeNull()
  })

  it('no longer say that they wait once the first windows are embedded', async () => {
    const opened = await open(64)
    const { documents, contexts } = opened.as(opened.owner)
    const { id } = await contexts.create({ ...CONTEXT, settings: { chunkSizeTokens: 16, overlap: 0 } })
    await server.stop()
    const sentences = Array.from({ length: 800 }, (_, item) => `Lamp ${item} stands in the room ${item} of the house.`)
    const uuid = await documents.upload(id, { fileName: 'lamps.txt', content: sentences.join(' ') })
    await expect.poll(async () => (await documents.get(uuid)).waiting, { timeout: 20_000 }).not.toBeNull()
    server.always = async (request, response, own) => {
      if (request.body.input.some((text) => text.includes('Lamp 799'))) return
      json(response, 200, await own.answer(request))
    }
    await server.listen()
    await expect.poll(async () => (await documents.get(uuid)).waiting, { timeout: 40_000 }).toBeNull()
    expect(await documents.get(uuid)).toMatchObject({ completed: null, error: null })
  })

  it('no longer say that they wait if nobody has tried for two minutes', async () => {
    const first = await open(64)
    const session = first.as(first.owner)
    const { id } = await session.contexts.create(CONTEXT)
    await server.stop()
    const uuid = await session.documents.upload(id, { fileName: 'port.txt', content: TEXT })
    await expect.poll(async () => (await session.documents.get(uuid)).waiting, { timeout: 20_000 }).not.toBeNull()
    await first.close()
    const clock = new MemoryClock(new Date(Date.now() + 30_000))
    engine = await openLocalEngine({
      dataDir,
      modelDirs: [bundledModel],
      remoteModels: [{ baseUrl: server.baseUrl, model: 'nomic-embed-text', apiKey: KEY, dimensions: 64 }],
      roles: ['relay'],
      clock,
    })
    const { documents } = engine.as(engine.owner)
    expect((await documents.get(uuid)).waiting).not.toBeNull()
    clock.advance(150_000)
    expect((await documents.get(uuid)).waiting).toBeNull()
  })

  it('do not say that they wait while a re-index waits for another model', async () => {
    engine = await openLocalEngine({
      dataDir,
      modelDirs: [bundledModel],
      remoteModels: [
        { baseUrl: server.baseUrl, model: 'nomic-embed-text', apiKey: KEY, dimensions: 64 },
        { baseUrl: 'http://127.0.0.1:9/v1', model: 'gone', dimensions: 64 },
      ],
      telemetry: { record: (event) => void events.push(event) },
    })
    const { documents, contexts } = engine.as(engine.owner)
    const { id } = await contexts.create(CONTEXT)
    await documents.whenProcessed(await documents.upload(id, { fileName: 'port.txt', content: TEXT }))
    await contexts.update(id, { settings: { embeddingModel: 'gone' } })
    const failures = () => events.filter(({ name }) => name === 'jobs.failed').length
    await expect.poll(failures, { timeout: 20_000 }).toBeGreaterThan(1)
    // The re-index is the one that waits.
    await expect
      .poll(async () => (await contexts.settings(id)).reindexing?.waiting, { timeout: 20_000 })
      .toBe('the server of the embedding model gone is away; the re-index waits for it (ERR_MODEL_UNAVAILABLE)')
    server.always = () => undefined
    const uuid = await documents.upload(id, { fileName: 'leave.txt', content: 'Parental leave takes eighteen weeks.' })
    expect(await documents.get(uuid)).toMatchObject({ completed: null, waiting: null })
  })

  it('fail at once if the server refuses them for good', async () => {
    const opened = await open(64)
    const { documents, contexts } = opened.as(opened.owner)
    const { id } = await contexts.create(CONTEXT)
    server.always = failing(404, 'model "nomic-embed-text" not found, try pulling it first')
    const uuid = await documents.upload(id, { fileName: 'port.txt', content: TEXT })
    await expect(documents.whenProcessed(uuid)).rejects.toThrow(/has no model nomic-embed-text.*\(ERR_MODEL_REFUSED\)/)
    server.always = undefined
    await documents.retry(uuid)
    await documents.whenProcessed(uuid)
  })

  it('fail after some attempts if the server always fails with them, and works with others', async () => {
    const opened = await open(64)
    const { documents, contexts } = opened.as(opened.owner)
    const { id } = await contexts.create(CONTEXT)
    server.always = async (request, response, own) => {
      if (request.body.input.some((text) => text.includes('harbour'))) failing(500, 'crash')(request, response, own)
      else json(response, 200, await own.answer(request))
    }
    const uuid = await documents.upload(id, { fileName: 'port.txt', content: TEXT })
    const other = await documents.upload(id, { fileName: 'leave.txt', content: 'Parental leave takes eighteen weeks.' })
    await documents.whenProcessed(other)
    expect((await documents.get(uuid)).completed).toBeNull()
  })
})

describe('warmUp', () => {
  it('embeds a word with the default model, or with the models that are named', async () => {
    const opened = await open(64)
    await opened.warmUp()
    expect(server.requests.map(({ body }) => body.input)).toEqual([['warm']])
    await opened.warmUp({ models: ['all-MiniLM-L6-v2'] })
    expect(server.requests).toHaveLength(1)
    await expect(opened.warmUp({ models: ['other'] })).rejects.toMatchObject({ code: 'ERR_MODEL_UNKNOWN' })
    await server.stop()
    await expect(opened.warmUp()).rejects.toMatchObject({ code: 'ERR_MODEL_UNAVAILABLE' })
    await opened.close()
    engine = undefined
    await expect(opened.warmUp()).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  })
})

describe('the command line', () => {
  it('uses the server that its options or variables name', async () => {
    const key = join(dataDir, 'embedding.key')
    const file = join(dataDir, 'port.txt')
    await writeFile(key, KEY)
    await writeFile(file, TEXT)
    const folder = join(dataDir, 'data')
    const run = async (...args: string[]) => {
      const env = {
        ...process.env,
        ALCOVE_DATA_DIR: folder,
        ALCOVE_EMBEDDING_URL: server.baseUrl,
        ALCOVE_EMBEDDING_KEY_FILE: key,
      }
      const bin = join(import.meta.dirname, '../../../dist/adapters/cli/bin.js')
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [bin, ...args, '--embedding-model', 'nomic-embed-text'],
        { env },
      )
      return stdout
    }
    await run('init')
    await run('context', 'create', 'Port')
    await run('ingest', file, '--context', 'Port', '--embedding-dimensions', '64')
    const found = await run('search', 'When is the harbour closed?', '--context', 'Port', '--json')
    expect(found).toContain('closed in winter')
    expect(server.requests.every(({ headers }) => headers.authorization === `Bearer ${KEY}`)).toBe(true)
  })

  it('gives the model of a server another id', async () => {
    const cwd = dataDir
    const remote = ['--embedding-url', server.baseUrl, '--embedding-model', 'nomic-embed-text']
    const own = ['--embedding-id', 'nomic-2', '--embedding-dimensions', '64']
    await runAlcoveHere(['init'], { cwd })
    const { stdout } = await runAlcoveHere(['context', 'create', 'Port', '--json', ...remote, ...own], { cwd })
    expect(JSON.parse(stdout)).toMatchObject({ embeddingModel: 'nomic-2' })
  })
})
