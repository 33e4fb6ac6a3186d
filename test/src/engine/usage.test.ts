import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemoryStorage } from '../../../adapters/memory/index.js'
import type { Engine, Session } from '../../../src/index.js'
import type { Storage } from '../../../src/ports/index.js'
import { DATABASES } from '../outbox/database.js'
import { memoryEngine, NEW_CONTEXT, uploadText } from './memory-engine.js'

const LIMITS = { contextsPerCompany: 20, usersPerCompany: 30, apiKeysPerCompany: 40, destinationsPerCompany: 50 }

interface OpenStorage {
  readonly storage: Storage
  readonly dispose: () => Promise<void>
}

const STORAGES = [
  {
    name: 'memory',
    open: async (): Promise<OpenStorage> => ({ storage: new MemoryStorage(), dispose: async () => undefined }),
  },
  ...DATABASES.map(({ name, open }) => ({
    name,
    open: async (): Promise<OpenStorage> => {
      const database = await open()
      return { storage: database.storage(), dispose: async () => await database.dispose() }
    },
  })),
]

describe.each(STORAGES)('what a company uses, on $name', ({ open }) => {
  let engine: Engine
  let dispose: () => Promise<void>

  beforeEach(async () => {
    const opened = await open()
    engine = (await memoryEngine({ storage: opened.storage, limits: LIMITS })).engine
    dispose = opened.dispose
  })

  afterEach(async () => {
    await engine.close()
    await dispose()
  })

  it('is counted beside the limits, with its documents and its largest contexts', async () => {
    const session = engine.as(engine.owner)
    const empty = { contexts: 0, users: 1, apiKeys: 0, destinations: 0 }
    expect(await session.usage()).toEqual({
      companyId: 1,
      contexts: { used: empty.contexts, limit: 20 },
      users: { used: empty.users, limit: 30 },
      apiKeys: { used: empty.apiKeys, limit: 40 },
      destinations: { used: empty.destinations, limit: 50 },
      documents: 0,
      documentBytes: 0,
      largestContexts: [],
    })
    const small = await session.contexts.create(NEW_CONTEXT)
    const large = await session.contexts.create({ ...NEW_CONTEXT, settings: { maxSizeBytes: 1_000 } })
    await session.contexts.create(NEW_CONTEXT)
    await uploadText(session, small.id, 'a.txt', 'four')
    await uploadText(session, large.id, 'b.txt', 'Parental leave.')
    const deleted = await uploadText(session, large.id, 'c.txt', 'Deleted.')
    await session.documents.delete(deleted)
    await uploadText(session, large.id, 'd.txt', 'Sick leave.')
    await engine.administration.apiKeys.create({ companyId: 1, userId: engine.owner.userId })
    await session.users.add({ email: 'ada@example.com', invite: false })
    await session.destinations.create({ url: 'https://hook.example/', eventTypes: null })
    const { accountId, userId } = engine.owner
    expect(await session.usage()).toEqual({
      companyId: 1,
      contexts: { used: 3, limit: 20 },
      users: { used: 2, limit: 30 },
      apiKeys: { used: 1, limit: 40 },
      destinations: { used: 1, limit: 50 },
      documents: 3,
      documentBytes: 30,
      largestContexts: [
        { id: large.id, accountId, userId, maxSizeBytes: 1_000, documents: 2, sizeBytes: 26 },
        { id: small.id, accountId, userId, maxSizeBytes: 104_857_600, documents: 1, sizeBytes: 4 },
      ],
    })
  })

  it('is shown to its managers and to those above it, and to nobody else', async () => {
    const { id: companyId } = await engine.administration.companies.create({ name: 'Below', parentId: 1 })
    const manager = await userOf(engine, companyId, 'Administrator', 'tenant')
    const member = await userOf(engine, companyId, 'Member', 'assistant')
    const uses = { companyId, contexts: { used: 0, limit: 20 }, users: { used: 2, limit: 30 } }
    expect(await manager.usage()).toMatchObject(uses)
    expect(await engine.as(engine.owner).usage(companyId)).toMatchObject(uses)
    // The numbers of a company do not include those of companies below it.
    expect((await engine.as(engine.owner).usage()).users.used).toBe(1)
    await expect(manager.usage(1)).rejects.toMatchObject({ code: 'ERR_FORBIDDEN' })
    await expect(manager.usage(999)).rejects.toMatchObject({ code: 'ERR_FORBIDDEN' })
    await expect(member.usage()).rejects.toMatchObject({ code: 'ERR_FORBIDDEN' })
    await expect(manager.usage(0.5)).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
  })
})

/** A user of a company who has one role. */
async function userOf(engine: Engine, companyId: number, role: string, application: string): Promise<Session> {
  const roles = [{ role, application }]
  const { principal } = await engine.administration.ensureUser({ externalId: role, companyId, roles })
  return engine.as(principal)
}
