import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { HostAdministration, Principal, Session } from '../../../src/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'
import { DATABASES } from '../outbox/database.js'

let memory: MemoryEngine
let administration: HostAdministration
let companyId: number
let ada: Session
let bo: Session
let count = 0

beforeAll(async () => {
  memory = await memoryEngine()
  administration = memory.engine.administration
})

afterAll(async () => {
  await memory.engine.close()
})

/** A company with two members for each test. */
beforeEach(async () => {
  companyId = (await administration.companies.create({ name: `Bakery ${(count += 1)}`, parentId: 1 })).id
  ada = memory.engine.as(await newPrincipal('ada'))
  bo = memory.engine.as(await newPrincipal('bo'))
})

async function newPrincipal(externalId: string, tenantRole?: string, company = companyId): Promise<Principal> {
  const tenant = tenantRole === undefined ? [] : [{ application: 'tenant', role: tenantRole }]
  const roles = [{ role: 'Member' }, ...tenant]
  return (await administration.ensureUser({ externalId, companyId: company, roles })).principal
}

const make = async ({ contexts }: Session): Promise<number> => (await contexts.create(NEW_CONTEXT)).id
const userIdOf = ({ principal }: Session): number => principal.userId
const visible = async ({ contexts }: Session): Promise<number[]> => (await contexts.list()).map(({ id }) => id)
const codeOf = async (call: Promise<unknown>): Promise<string> =>
  await call.then(
    () => 'done',
    (error: unknown) => (error as { code: string }).code,
  )

describe('one context', () => {
  it('goes from its user to another one, with its documents', async () => {
    const id = await make(ada)
    await uploadText(ada, id, 'leave.txt', 'Parental leave lasts sixteen weeks.')
    const before = await ada.contexts.get(id)
    const after = await ada.contexts.handOver(id, { toUserId: userIdOf(bo) })
    expect(after).toEqual({ ...before, userId: userIdOf(bo) })
    expect([await visible(ada), await visible(bo)]).toEqual([[], [id]])
    expect(await codeOf(ada.documents.list(id))).toBe('ERR_CONTEXT_NOT_FOUND')
    expect((await bo.search(id, 'How long is parental leave?'))[0]?.content).toContain('sixteen weeks')
    await bo.contexts.delete(id)
  })

  it('changes nothing, and leaves no trace, if the user has it already', async () => {
    const id = await make(ada)
    await ada.contexts.handOver(id, { toUserId: userIdOf(ada) })
    const { items } = await administration.audit.list({ companyId, action: 'context.handed-over' })
    expect(items).toEqual([])
  })

  it('is given by nobody who cannot change it', async () => {
    const [hidden, shared] = [await make(ada), await make(ada)]
    await ada.contexts.share(shared, { shareState: 1 })
    const toBo = { toUserId: userIdOf(bo) }
    expect(await codeOf(bo.contexts.handOver(hidden, toBo))).toBe('ERR_CONTEXT_NOT_FOUND')
    expect(await codeOf(bo.contexts.handOver(shared, toBo))).toBe('ERR_FORBIDDEN')
    const reader = memory.engine.as({ ...ada.principal, scope: ['context:read'] })
    expect(await codeOf(reader.contexts.handOver(hidden, toBo))).toBe('ERR_FORBIDDEN')
    expect(await visible(ada)).toEqual([hidden, shared])
  })

  it('goes to nobody who cannot read it', async () => {
    const id = await make(ada)
    const give = async (toUserId: number): Promise<string> =>
      await ada.contexts.handOver(id, { toUserId }).then(
        () => 'done',
        (error: unknown) => (error as Error).message,
      )
    const stranger = await newPrincipal('stranger', undefined, 1)
    const refusal = (userId: number): string =>
      `toUserId: the user ${userId} may not read contexts of the account ${ada.principal.accountId}: give the user a role there first`
    for (const userId of [stranger.userId, 999_999]) expect(await give(userId)).toBe(refusal(userId))
    await administration.users.disable(userIdOf(bo))
    expect(await give(userIdOf(bo))).toBe(refusal(userIdOf(bo)))
    expect(await give(0)).toMatch(/^toUserId: /)
    expect(await visible(ada)).toEqual([id])
  })

  it('is given by the host, whoever its user is', async () => {
    const id = await make(ada)
    await administration.users.delete(userIdOf(ada))
    expect(await visible(bo)).toEqual([])
    expect((await administration.contexts.handOver(id, { toUserId: userIdOf(bo) })).userId).toBe(userIdOf(bo))
    expect(await visible(bo)).toEqual([id])
    expect(await codeOf(administration.contexts.handOver(999_999, { toUserId: userIdOf(bo) }))).toBe(
      'ERR_CONTEXT_NOT_FOUND',
    )
  })
})

describe('all contexts of a user', () => {
  it('go to another user after the first one is deleted, each with an entry in the audit trail', async () => {
    const ids = [await make(ada), await make(ada)]
    const deleted = await make(ada)
    await ada.contexts.delete(deleted)
    const own = await make(bo)
    await administration.users.delete(userIdOf(ada))
    const toBo = { toUserId: userIdOf(bo) }
    expect(await administration.contexts.handOverAll(userIdOf(ada), toBo)).toEqual({ contextIds: ids })
    expect(await visible(bo)).toEqual([...ids, own])
    const { items } = await administration.audit.list({ companyId, limit: 3 })
    const details = { accountId: bo.principal.accountId, oldUserId: userIdOf(ada), newUserId: userIdOf(bo) }
    expect(items.map(({ action, targetId, details: recorded }) => [action, targetId, recorded]).reverse()).toEqual([
      ['user.contexts-handed-over', userIdOf(ada), { newUserId: userIdOf(bo), contexts: 2 }],
      ...ids.map((id) => ['context.handed-over', id, details]),
    ])
    expect(await administration.contexts.handOverAll(userIdOf(ada), toBo)).toEqual({ contextIds: [] })
  })

  it('go all or not at all: an account that the new user may not read is named', async () => {
    const own = await make(ada)
    const other = await administration.accounts.create({ companyId, application: 'assistant', region: 'eu', name: 'B' })
    const roles = [{ accountId: other.id, role: 'Member' }]
    await administration.ensureUser({ externalId: 'ada', companyId, roles })
    const abroad = await make(memory.engine.as({ ...ada.principal, accountId: other.id }))
    const toBo = { toUserId: userIdOf(bo) }
    await expect(administration.contexts.handOverAll(userIdOf(ada), toBo)).rejects.toThrow(`of the account ${other.id}`)
    expect(await visible(ada)).toEqual([own])
    const { accountId } = ada.principal
    expect(await administration.contexts.handOverAll(userIdOf(ada), { ...toBo, accountId })).toEqual({
      contextIds: [own],
    })
    await administration.ensureUser({ externalId: 'bo', companyId, roles })
    expect(await administration.contexts.handOverAll(userIdOf(ada), toBo)).toEqual({ contextIds: [abroad] })
  })

  it('need two users', async () => {
    const toAda = { toUserId: userIdOf(ada) }
    expect(await codeOf(administration.contexts.handOverAll(999_999, toAda))).toBe('ERR_USER_NOT_FOUND')
    await expect(administration.contexts.handOverAll(userIdOf(ada), toAda)).rejects.toThrow('must be another user')
  })

  it('go on more than one page', async () => {
    const ids: number[] = []
    for (let at = 0; at < 23; at += 1) ids.push(await make(ada))
    const { contextIds } = await administration.contexts.handOverAll(userIdOf(ada), { toUserId: userIdOf(bo) })
    expect(contextIds).toEqual(ids)
    expect(await visible(bo)).toEqual(ids)
  })

  it.each(DATABASES)('go on $name while a context is changed, and lose no change', async ({ open }) => {
    const database = await open()
    const { engine } = await memoryEngine({ storage: database.storage() })
    const ensure = async (externalId: string) => await engine.administration.ensureUser({ externalId, companyId: 1 })
    const [from, to] = [await ensure('from'), await ensure('to')]
    const session = engine.as({ ...from.principal, sight: 'account' })
    const ids = [await make(session), await make(session), await make(session)]
    const toUserId = to.user.id
    const [{ contextIds }] = await Promise.all([
      engine.administration.contexts.handOverAll(from.user.id, { toUserId }),
      ...ids.map(async (id) => await session.contexts.update(id, { caption: `changed ${id}` })),
    ])
    expect(contextIds).toEqual(ids)
    const contexts = await session.contexts.list()
    expect(contexts.map(({ userId, caption }) => [userId, caption])).toEqual(
      ids.map((id) => [toUserId, `changed ${id}`]),
    )
    await engine.close()
    await database.dispose()
  })
})

describe('a manager', () => {
  it('gives the contexts of a user who has left to another user', async () => {
    const manager = memory.engine.as(await newPrincipal('manager', 'Administrator'))
    const ids = [await make(ada), await make(ada)]
    const toBo = { toUserId: userIdOf(bo) }
    expect(await codeOf(manager.users.handOverContexts(userIdOf(ada), toBo))).toBe('ERR_IN_USE')
    await manager.users.delete(userIdOf(ada))
    expect(await manager.users.handOverContexts(userIdOf(ada), toBo)).toEqual({ contextIds: ids })
    expect(await visible(bo)).toEqual(ids)
  })

  it('takes nothing from users and accounts out of reach', async () => {
    const manager = memory.engine.as(await newPrincipal('manager', 'Administrator'))
    const rootAccount = memory.engine.owner.accountId
    await administration.ensureUser({
      externalId: 'ada',
      companyId,
      roles: [{ accountId: rootAccount, role: 'Member' }],
    })
    const guest = memory.engine.as({ ...ada.principal, companyId: 1, accountId: rootAccount })
    const [own, abroad] = [await make(ada), await make(guest)]
    await administration.users.disable(userIdOf(ada))
    const toBo = { toUserId: userIdOf(bo) }
    expect(await manager.users.handOverContexts(userIdOf(ada), toBo)).toEqual({ contextIds: [own] })
    const owner = memory.engine.as(memory.engine.owner)
    expect((await owner.contexts.get(abroad)).userId).toBe(userIdOf(ada))
    const foreign = (await newPrincipal('foreign', undefined, 1)).userId
    await administration.users.delete(foreign)
    expect(await codeOf(manager.users.handOverContexts(foreign, toBo))).toBe('ERR_USER_NOT_FOUND')
    expect(await codeOf(manager.users.handOverContexts(999_999, toBo))).toBe('ERR_USER_NOT_FOUND')
  })

  it('needs a role that reads and writes contexts, and the capability tenant:manage', async () => {
    const capabilities = ['tenant:manage']
    await administration.roles.create({ name: 'Clerk', applications: ['tenant'], capabilities, companyId })
    const clerk = memory.engine.as(await newPrincipal('clerk', 'Clerk'))
    await make(ada)
    await administration.users.disable(userIdOf(ada))
    const toBo = { toUserId: userIdOf(bo) }
    expect(await codeOf(clerk.users.handOverContexts(userIdOf(ada), toBo))).toBe('ERR_FORBIDDEN')
    expect(await codeOf(bo.users.handOverContexts(userIdOf(ada), toBo))).toBe('ERR_FORBIDDEN')
    expect(await visible(bo)).toEqual([])
  })
})
