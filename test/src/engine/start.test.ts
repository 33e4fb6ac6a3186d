import { setTimeout as pause } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, vi } from 'vitest'
import {
  MemoryEmbeddingModel,
  MemoryFileStore,
  MemoryHttpTransport,
  MemoryLexicalIndex,
  MemoryMailer,
  MemoryStorage,
  MemoryTelemetry,
  MemoryTextExtractor,
  MemoryVectorIndex,
} from '../../../adapters/memory/index.js'
import { memoryEngine } from './memory-engine.js'

/** Ports that an engine closes, and how often each was closed. */
function watchedPorts() {
  const ports = {
    storage: new MemoryStorage(),
    vectorIndex: new MemoryVectorIndex(),
    lexicalIndex: new MemoryLexicalIndex(),
    textExtractor: new MemoryTextExtractor(),
    mailer: new MemoryMailer(),
    httpTransport: new MemoryHttpTransport(),
  }
  const model = new MemoryEmbeddingModel()
  const spies = [...Object.values(ports), model].map((port) => vi.spyOn(port, 'close'))
  return { ports: { ...ports, embeddingModels: [model] }, closed: () => spies.map(({ mock }) => mock.calls.length) }
}

const ONCE = [1, 1, 1, 1, 1, 1, 1]

describe('an engine that cannot start', () => {
  it.each<[string, unknown, string, string]>([
    ['secretKey', new Uint8Array(3), 'ERR_SECRET_KEY', 'must have 32 bytes'],
    ['secretKey', 'a'.repeat(32), 'ERR_SECRET_KEY', 'must have 32 bytes'],
    ['deliveryRetentionDays', 0, 'ERR_INVALID_INPUT', 'deliveryRetentionDays'],
    ['roles', ['relays'], 'ERR_INVALID_INPUT', 'roles: must be a list of roles, which are "ingest", "relay"'],
    ['roles', 'relay', 'ERR_INVALID_INPUT', 'roles: must be a list of roles, which are "ingest", "relay"'],
    ['commonPasswords', undefined, 'ERR_INVALID_INPUT', 'commonPasswords: must be a list of common passwords'],
    ['roles', null, 'ERR_INVALID_INPUT', 'roles: must be a list of roles, which are "ingest", "relay"'],
    ['isWorking', false, 'ERR_NOT_INITIALIZED', 'run "alcove init" first'],
  ])('because of %s: %j closes its ports', async (option, value, code, message) => {
    const { ports, closed } = watchedPorts()
    const starting = memoryEngine({ ...ports, [option]: value })
    await expect(starting).rejects.toMatchObject({ code, message: expect.stringContaining(message) as string })
    expect(closed()).toEqual(ONCE)
  })

  it('because it has no model closes its ports', async () => {
    const { ports, closed } = watchedPorts()
    await expect(memoryEngine({ ...ports, embeddingModels: [] })).rejects.toMatchObject({ field: 'embeddingModels' })
    expect(closed()).toEqual([1, 1, 1, 1, 1, 1, 0])
  })

  it('because two models have the same id closes its ports, and says what to do', async () => {
    const { ports, closed } = watchedPorts()
    const embeddingModels = [...ports.embeddingModels, new MemoryEmbeddingModel({ fingerprint: 'other' })]
    await expect(memoryEngine({ ...ports, embeddingModels })).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      field: 'embeddingModels',
      message: expect.stringMatching(/two models have the id memory.*: give one of them another id/) as string,
    })
    expect(closed()).toEqual(ONCE)
  })

  it('reports the reason, and closes the other ports when one of them fails to close', async () => {
    const { ports, closed } = watchedPorts()
    ports.textExtractor.close = async () => Promise.reject(new Error('no'))
    await expect(memoryEngine({ ...ports, deliveryRetentionDays: 0 })).rejects.toMatchObject({
      field: 'deliveryRetentionDays',
    })
    expect(closed()).toEqual([1, 1, 1, 0, 1, 1, 1])
  })

  it('because of its files leaves no worker behind', async () => {
    const { ports, closed } = watchedPorts()
    const fileStore = new MemoryFileStore()
    fileStore.removeUnfinished = async () => Promise.reject(new Error('EACCES files'))
    const telemetry = new MemoryTelemetry()
    const reads = vi.spyOn(ports.storage, 'read')
    await expect(memoryEngine({ ...ports, fileStore, telemetry, isAlone: true })).rejects.toThrow('EACCES files')
    expect(closed()).toEqual(ONCE)
    const before = reads.mock.calls.length
    await pause(1_500)
    expect(reads.mock.calls.length).toBe(before)
    expect(telemetry.events.filter(({ level }) => level !== 'info')).toEqual([])
  })
})

describe('an engine that starts', () => {
  it('removes unfinished files: all of them if it is alone, otherwise those of stopped uploads', async () => {
    for (const [isAlone, expected] of [
      [true, {}],
      [false, { olderThanMs: 86_400_000 }],
    ] as const) {
      const fileStore = new MemoryFileStore()
      const removal = vi.spyOn(fileStore, 'removeUnfinished')
      const { engine } = await memoryEngine({ fileStore, isAlone })
      expect(removal.mock.calls).toEqual([[expected]])
      await engine.close()
    }
  })

  it('accepts a key of another realm', async () => {
    const secretKey = runInNewContext('new Uint8Array(32).fill(7)') as Uint8Array
    expect(secretKey).not.toBeInstanceOf(Uint8Array)
    const { engine } = await memoryEngine({ secretKey })
    const url = 'https://hooks.example.com/in'
    expect(await engine.administration.destinations.create({ url, eventTypes: null })).toMatchObject({ url })
    await engine.close()
  })

  it('accepts some of the roles, or none', async () => {
    for (const roles of [['relay'], ['ingest'], []] as const) await (await memoryEngine({ roles })).engine.close()
  })
})
