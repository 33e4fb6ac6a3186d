import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'
import { type EngineState, ModelError, type Principal, type Session, type VerifyReport } from '../../../src/index.js'
import { DATABASES } from '../outbox/database.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from './memory-engine.js'

const REFUSED = { code: 'ERR_FORBIDDEN', message: 'only a manager of the root company may do this' }

let memory: MemoryEngine

beforeEach(async () => {
  memory = await memoryEngine()
})

afterEach(async () => {
  await memory.engine.close()
})

async function principalOf(companyId: number, role: string, application: string): Promise<Principal> {
  const roles = [{ role, application }]
  const externalId = `${role} of ${application}`
  return (await memory.engine.administration.ensureUser({ externalId, companyId, roles })).principal
}

const queueOf = (state: EngineState, kind: string) => state.queues.find((queue) => queue.kind === kind)

describe('the operations of an operator', () => {
  it('are for managers of the root company alone', async () => {
    const { engine } = memory
    const { id } = await engine.administration.companies.create({ name: 'Below', parentId: 1 })
    const refused: readonly Principal[] = [
      await principalOf(id, 'Administrator', 'tenant'),
      await principalOf(1, 'Member', 'assistant'),
      { ...engine.owner, scope: ['search'] },
      // The owner's own rights, for a company below the root.
      { ...engine.owner, companyId: id },
    ]
    for (const principal of refused) {
      const { operator } = engine.as(principal)
      await expect(operator.state(), JSON.stringify(principal)).rejects.toMatchObject(REFUSED)
      await expect(operator.verify(), JSON.stringify(principal)).rejects.toMatchObject(REFUSED)
    }
    const manager = engine.as(await principalOf(1, 'Administrator', 'tenant'))
    expect((await manager.operator.verify()).isHealthy).toBe(true)
    expect((await manager.operator.state()).roles).toEqual(['ingest', 'relay'])
  })

  it('refuse a user who lost the role, at the next call', async () => {
    const { engine } = memory
    const manager = engine.as(await principalOf(1, 'Administrator', 'tenant'))
    await manager.operator.state()
    const permissions = await engine.administration.permissions.list()
    const own = permissions.find(({ userIdentityId }) => userIdentityId === manager.principal.userId)
    await engine.administration.permissions.toggle(own?.id ?? 0)
    await expect(manager.operator.state()).rejects.toMatchObject(REFUSED)
  })
})

describe('the state of an engine', () => {
  it('has the queues, the sizes, the models and the check after the start', async () => {
    const { session, storage } = memory
    const { id } = await session.contexts.create(NEW_CONTEXT)
    await uploadText(session, id, 'a.txt', 'Parental leave lasts sixteen weeks.')
    await storage.transaction(async ({ jobs }) => {
      await jobs.enqueue({ kind: 'deliver-event', subject: 91 }, { delayMs: 3_600_000 })
      await jobs.enqueue({ kind: 'purge-context', subject: 92 }, { delayMs: 3_600_000 })
      await jobs.enqueue({ kind: 'purge-context', subject: 93 }, { delayMs: 3_600_000 })
    })
    await vi.waitFor(async () => expect((await session.operator.state()).startCheck).not.toBeNull(), 5_000)
    const state = await session.operator.state()
    const idle = { waiting: 0, running: 0, retrying: 0, crashing: 0, oldestWaitingSeconds: 0, runningHere: 0 }
    expect(queueOf(state, 'deliver-event')).toEqual({ kind: 'deliver-event', ...idle, delayed: 1 })
    expect(queueOf(state, 'purge-context')).toEqual({ kind: 'purge-context', ...idle, delayed: 2 })
    expect(queueOf(state, 'ingest-document')).toEqual({ kind: 'ingest-document', ...idle, delayed: 0 })
    expect(state.pendingDeliveries).toBe(1)
    expect(state.mails).toBe('sent')
    expect(state.collections).toEqual({ vectors: 1, words: 1 })
    expect(state.models).toEqual([
      {
        id: 'memory',
        isDefault: true,
        kind: 'local',
        dimensions: 64,
        windowTokens: 64,
        isLoaded: null,
        isAvailable: true,
      },
    ])
    expect(state.startCheck).toMatchObject({ isHealthy: expect.any(Boolean) as boolean, checked: { models: 0 } })
    expect(state.verification).toBeNull()
    expect(new Date(state.started).getTime()).toBeLessThanOrEqual(memory.clock.now().getTime())
  })

  it('measures each part of the stored data, and says what it does not know', async () => {
    const { id } = await memory.session.contexts.create(NEW_CONTEXT)
    await uploadText(memory.session, id, 'a.txt', 'Parental leave.')
    expect((await memory.session.operator.state()).disk).toEqual([
      { part: 'database', usedBytes: null, freeBytes: null },
      { part: 'files', usedBytes: 15, freeBytes: null },
      { part: 'vectors', usedBytes: null, freeBytes: null },
      { part: 'words', usedBytes: null, freeBytes: null },
    ])
  })

  it('shows which models are loaded, and which servers of models are away', async () => {
    await memory.engine.close()
    const local = Object.assign(new MemoryEmbeddingModel({ id: 'on-device' }), { isLoaded: true })
    const remote = Object.assign(new MemoryEmbeddingModel({ id: 'on-server' }), {
      checkAvailable: async () => await Promise.reject(new ModelError('ERR_MODEL_UNAVAILABLE', 'the server is away')),
    })
    memory = await memoryEngine({ embeddingModels: [local, remote] })
    const { models } = await memory.session.operator.state()
    expect(models).toMatchObject([
      { id: 'on-device', isDefault: true, kind: 'local', isLoaded: true, isAvailable: true },
      { id: 'on-server', isDefault: false, kind: 'remote', isLoaded: null, isAvailable: false },
    ])
  })
})

describe.each(DATABASES)('the state of an engine on $name', ({ open }) => {
  it('has the size of the database, its rows and its queues', async () => {
    await memory.engine.close()
    const database = await open()
    memory = await memoryEngine({ storage: database.storage() })
    try {
      const { id } = await memory.session.contexts.create(NEW_CONTEXT)
      await uploadText(memory.session, id, 'a.txt', 'Parental leave.')
      const other = database.storage()
      await other.transaction(({ jobs }) =>
        jobs.enqueue({ kind: 'deliver-event', subject: 91 }, { delayMs: 3_600_000 }),
      )
      await other.close()
      const state = await memory.session.operator.state()
      expect(state.disk[0]?.usedBytes).toBeGreaterThan(1_000)
      expect(Object.keys(state.rows)).toContain('documents')
      expect(queueOf(state, 'deliver-event')).toMatchObject({ waiting: 0, running: 0, delayed: 1 })
      expect(state.pendingDeliveries).toBe(1)
    } finally {
      await memory.engine.close()
      await database.dispose()
    }
  })
})

describe('a verification by an operator', () => {
  it('finds what is wrong, and changes nothing', async () => {
    const { engine, session, fileStore } = memory
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const uuid = await uploadText(session, id, 'a.txt', 'Parental leave.')
    await fileStore.delete(uuid)
    const stages: string[] = []
    const report = await session.operator.verify({ onProgress: ({ stage }) => stages.push(stage) })
    expect(report).toMatchObject({ isHealthy: false, checked: { contexts: 1, documents: 1, models: 1 } })
    expect(report.problems).toMatchObject([{ code: 'file-missing', isRepaired: false }])
    expect(new Set(stages)).toEqual(new Set(['checking']))
    // The host gets the name of the document too.
    const [ofHost] = (await engine.administration.verify()).problems
    expect(ofHost).toEqual({ ...report.problems[0], message: ofHost?.message })
    expect(ofHost?.message).toContain('(a.txt)')
    expect(report.problems[0]?.message).not.toContain('a.txt')
  })

  it('never repairs', async () => {
    const options = { repair: true } as object
    await expect(memory.session.operator.verify(options)).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
  })

  it('names no folder of a model that cannot be used', async () => {
    await memory.engine.close()
    const missing = new ModelError('ERR_MODEL_MISSING', '/srv/alcove/models/one/model.onnx is missing')
    const model = Object.assign(new MemoryEmbeddingModel(), { verify: async () => await Promise.reject(missing) })
    memory = await memoryEngine({ embeddingModels: [model] })
    const [problem] = (await memory.session.operator.verify()).problems
    expect(problem).toMatchObject({ code: 'model-unusable', subject: { model: 'memory' } })
    expect(problem?.message).toBe(
      'Embedding model memory cannot be used (ERR_MODEL_MISSING): "alcove doctor" says why.',
    )
    const [ofHost] = (await memory.engine.administration.verify()).problems
    expect(ofHost?.message).toContain('/srv/alcove/models/one/model.onnx is missing')
  })

  it('runs once at a time, is shown in the state, and ends when the caller aborts', async () => {
    const { session } = memory
    const abort = new AbortController()
    const { verifying } = await holdVerification(session, abort.signal)
    await expect(session.operator.verify()).rejects.toMatchObject({
      code: 'ERR_THROTTLED',
      message: expect.stringMatching(/^a verification runs in this process already: wait for its end/) as string,
      retryAfterSeconds: 60,
    })
    const started = memory.clock.now().toISOString()
    expect((await session.operator.state()).verification).toEqual({ started, documents: 0 })
    abort.abort(new Error('enough'))
    await expect(verifying).rejects.toThrow('enough')
    expect((await session.operator.state()).verification).toBeNull()
    vi.restoreAllMocks()
    expect((await session.operator.verify()).isHealthy).toBe(true)
  })

  it('ends when the engine closes', async () => {
    const { verifying } = await holdVerification(memory.session)
    await memory.engine.close()
    await expect(verifying).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  })
})

/** Starts a verification that stays at its first file. */
async function holdVerification(
  session: Session,
  signal?: AbortSignal,
): Promise<{ readonly verifying: Promise<VerifyReport> }> {
  const { id } = await session.contexts.create(NEW_CONTEXT)
  await uploadText(session, id, 'a.txt', 'Parental leave.')
  const digest = vi.spyOn(memory.fileStore, 'digest')
  digest.mockImplementation(async (_key, options) => await untilAborted(options?.signal))
  const verifying = session.operator.verify(signal && { signal })
  verifying.catch(() => undefined)
  await vi.waitFor(() => expect(digest).toHaveBeenCalled(), 5_000)
  return { verifying }
}

async function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return await new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}
