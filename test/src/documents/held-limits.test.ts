import { afterEach, describe, expect, it } from 'vitest'
import type { Engine, EngineOptions } from '../../../src/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT } from '../engine/memory-engine.js'
import { DATABASES } from '../outbox/database.js'

const engines: Engine[] = []

async function start(overrides: Partial<EngineOptions>): Promise<MemoryEngine> {
  const memory = await memoryEngine(overrides)
  engines.push(memory.engine)
  return memory
}

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
})

type Add = (memory: MemoryEngine, at: number) => Promise<unknown>

/** Each limit, the count in a new engine of the items that it limits, and a function that adds one. */
const LIMITS: Readonly<Record<string, { readonly before: number; readonly add: Add }>> = {
  contextsPerCompany: { before: 1, add: ({ session }) => session.contexts.create(NEW_CONTEXT) },
  documentsPerContext: {
    before: 0,
    add: ({ session }, at) =>
      session.documents.upload(1, { fileName: `${at}.txt`, content: new TextEncoder().encode(`text ${at}`) }),
  },
  destinationsPerCompany: {
    before: 0,
    add: ({ session }, at) => session.destinations.create({ url: `https://example.com/${at}`, eventTypes: null }),
  },
  usersPerCompany: { before: 1, add: ({ session }, at) => session.users.add({ email: `user-${at}@example.com` }) },
  apiKeysPerCompany: {
    before: 0,
    add: ({ engine }) => engine.administration.apiKeys.create({ companyId: 1, userId: 1 }),
  },
}

async function outcomes(calls: readonly Promise<unknown>[]): Promise<string[]> {
  const ended = await Promise.allSettled(calls)
  return ended.map((each) => (each.status === 'fulfilled' ? 'done' : (each.reason as { code: string }).code)).sort()
}

describe.each(DATABASES)('a limit of a company, on $name,', ({ open }) => {
  // A15
  it.each(Object.entries(LIMITS))(
    '(%s) holds for many calls at the same time, in two engines',
    async (limit, { before, add }) => {
      const database = await open()
      try {
        const limits = { [limit]: before + 3 }
        const one = await start({ storage: database.storage(), limits })
        const other = await start({ storage: database.storage(), limits })
        await one.session.contexts.create(NEW_CONTEXT)
        const calls = [0, 1, 2, 3, 4, 5].map((at) => add(at % 2 === 0 ? one : other, at))
        expect(await outcomes(calls)).toEqual([
          ...Array<string>(3).fill('ERR_LIMIT_REACHED'),
          ...Array<string>(3).fill('done'),
        ])
        await expect(add(one, 7)).rejects.toThrow(new RegExp(`${before + 3} .*limits\\.${limit}`))
        for (const engine of engines.splice(0)) await engine.close()
        const raised = await start({ storage: database.storage(), limits: { [limit]: before + 4 } })
        expect(await outcomes([add(raised, 8)])).toEqual(['done'])
        for (const engine of engines.splice(0)) await engine.close()
      } finally {
        await database.dispose()
      }
    },
  )
})

describe('a limit of a company', () => {
  // A15
  it('does not count deleted or revoked items', async () => {
    const memory = await start({
      limits: { contextsPerCompany: 1, documentsPerContext: 1, destinationsPerCompany: 1, apiKeysPerCompany: 1 },
    })
    const { session, engine } = memory
    for (let round = 0; round < 2; round += 1) {
      const { id } = await session.contexts.create(NEW_CONTEXT)
      const file = (name: string) => ({ fileName: name, content: new TextEncoder().encode(name) })
      const uuid = await session.documents.upload(id, file('one.txt'))
      await expect(session.documents.upload(id, file('two.txt'))).rejects.toMatchObject({ code: 'ERR_LIMIT_REACHED' })
      await session.documents.delete(uuid)
      await session.documents.upload(id, file('two.txt'))
      await session.contexts.delete(id)
      const destination = await session.destinations.create({ url: 'https://example.com/', eventTypes: null })
      await session.destinations.delete(destination.id)
      const key = await engine.administration.apiKeys.create({ companyId: 1, userId: 1 })
      await engine.administration.apiKeys.revoke(key.id)
    }
  })

  // A15
  it('does not count an API key from the moment at which it expires', async () => {
    const { engine, clock } = await start({ limits: { apiKeysPerCompany: 1 } })
    const { apiKeys } = engine.administration
    const expiring = () => new Date(clock.now().getTime() + 60_000).toISOString()
    const add = async (expires?: string) => {
      return await outcomes([apiKeys.create({ companyId: 1, userId: 1, ...(expires !== undefined && { expires }) })])
    }
    expect(await add(expiring())).toEqual(['done'])
    clock.advance(59_999)
    expect(await add()).not.toEqual(['done'])
    clock.advance(1)
    expect(await add()).toEqual(['done'])
    expect(await add()).not.toEqual(['done'])
  })

  // A15
  it('refuses an upload beyond it before a byte is read', async () => {
    const { session } = await start({ limits: { documentsPerContext: 1 } })
    const { id } = await session.contexts.create(NEW_CONTEXT)
    await session.documents.upload(id, { fileName: 'one.txt', content: new TextEncoder().encode('one') })
    let isRead = false
    const content = (async function* () {
      isRead = true
      yield new TextEncoder().encode('two')
    })()
    const refused = { code: 'ERR_LIMIT_REACHED' }
    await expect(session.documents.upload(id, { fileName: 'two.txt', content })).rejects.toMatchObject(refused)
    expect(isRead).toBe(false)
    expect(await session.documents.list(id)).toHaveLength(1)
  })

  // A15
  it('lets an upload of an existing file through, which needs no place of its own', async () => {
    const { session } = await start({ limits: { documentsPerContext: 1 } })
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const uuid = await session.documents.upload(id, { fileName: 'one.txt', content: 'one' })
    await session.documents.checkRoom(id, 3)
    expect(await session.documents.upload(id, { fileName: 'one.txt', content: 'one' })).toBe(uuid)
    const otherBytes = session.documents.upload(id, { fileName: 'one.txt', content: 'two' })
    await expect(otherBytes).rejects.toMatchObject({ code: 'ERR_LIMIT_REACHED' })
    expect(await session.documents.list(id)).toHaveLength(1)
  })

  // A15
  it('does not stop the first start, and counts keys for service users as users', async () => {
    const { engine } = await start({ limits: { usersPerCompany: 1, apiKeysPerCompany: 2 } })
    await engine.initialize()
    const { apiKeys } = engine.administration
    await expect(apiKeys.create({ companyId: 1 })).rejects.toThrow('limits.usersPerCompany')
    await apiKeys.create({ companyId: 1, userId: 1 })
    await expect(apiKeys.create({ companyId: 1, userId: 1 })).rejects.toThrow('limits.apiKeysPerCompany')
  })
})
