import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemoryClock, MemoryStorage } from '../../../adapters/memory/index.js'
import type { AuditEntry, AuditQuery, Engine } from '../../../src/index.js'
import type { Storage } from '../../../src/ports/index.js'
import { memoryEngine } from '../engine/memory-engine.js'
import { DATABASES } from '../outbox/database.js'
import { HookedStorage } from '../outbox/hooked-storage.js'

async function listed(engine: Engine, query: AuditQuery = {}): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = []
  for await (const entry of engine.administration.audit.entries(query)) entries.push(entry)
  return entries.reverse()
}

/** A company with its accounts and a user whose only permission is Member. */
async function newCompany(engine: Engine, parentId = 1) {
  const { administration } = engine
  const { id: companyId } = await administration.companies.create({ name: 'Company', parentId })
  const accounts = (await administration.accounts.list()).filter(({ customerId }) => customerId === companyId)
  const tenantId = accounts.find(({ application }) => application === 'tenant')?.id ?? 0
  const { id: userId } = await administration.users.add({ email: `${crypto.randomUUID()}@example.com`, companyId })
  return { companyId, tenantId, userId }
}

async function roleId(engine: Engine, name: string): Promise<number> {
  return (await engine.administration.roles.list()).find((role) => role.name === name)?.id ?? 0
}

describe.each([
  {
    name: 'memory',
    open: async () => ({ storage: () => new MemoryStorage() as Storage, dispose: async () => undefined }),
  },
  ...DATABASES,
])('the audit trail on $name', ({ open }) => {
  let database: { storage(): Storage; dispose(): Promise<void> }

  beforeEach(async () => {
    database = await open()
  })

  afterEach(async () => {
    await database.dispose()
  })

  // A101
  it('has no entry of a change whose transaction fails at its end', async () => {
    let isFailing = false
    const storage = new HookedStorage(
      database.storage(),
      (_call, go) => go(),
      (calls, moment) => {
        if (!isFailing || moment !== 'before-commit' || !calls.includes('audit.append')) return
        throw new Error('no commit')
      },
    )
    const { engine } = await memoryEngine({ storage })
    const { tenantId, userId } = await newCompany(engine)
    const permission = { userIdentityId: userId, appAccountId: tenantId, appRoleId: await roleId(engine, 'Member') }
    const before = [await listed(engine), await engine.administration.permissions.list()]
    isFailing = true
    await expect(engine.administration.permissions.grant(permission)).rejects.toThrow('no commit')
    isFailing = false
    expect([await listed(engine), await engine.administration.permissions.list()]).toEqual(before)
    await engine.close()
  })

  // A101
  it('rolls back a change that it cannot record', async () => {
    let isFailing = false
    const storage = new HookedStorage(database.storage(), (call, go) => {
      if (isFailing && call === 'audit.append') throw new Error('no entry')
      return go()
    })
    const { engine } = await memoryEngine({ storage })
    const { tenantId, userId } = await newCompany(engine)
    const permission = { userIdentityId: userId, appAccountId: tenantId, appRoleId: await roleId(engine, 'Member') }
    const { id } = await engine.administration.permissions.grant(permission)
    const before = await engine.administration.permissions.list()
    isFailing = true
    for (const change of [
      () => engine.administration.permissions.toggle(id),
      () => engine.administration.permissions.revoke(id),
    ]) {
      await expect(change()).rejects.toThrow('no entry')
    }
    expect(await engine.administration.permissions.list()).toEqual(before)
    isFailing = false
    await engine.close()
  })
})

describe('a reader of the audit trail', () => {
  // A102
  it('sees their own company and its descendants, and no others', async () => {
    const { engine } = await memoryEngine()
    const parent = await newCompany(engine)
    const child = await newCompany(engine, parent.companyId)
    const other = await newCompany(engine)
    const appRoleId = await roleId(engine, 'Administrator')
    for (const { userId, tenantId } of [parent, child, other]) {
      await engine.administration.permissions.grant({ userIdentityId: userId, appAccountId: tenantId, appRoleId })
    }
    const sessionOf = ({ companyId, userId, tenantId }: typeof parent) =>
      engine.as({
        companyId,
        userId,
        accountId: tenantId,
        origin: { clientId: 'ak_one', remoteAddress: '192.0.2.7', requestId: 'request-1' },
      })
    const companiesOf = async (of: typeof parent) =>
      [...new Set((await sessionOf(of).audit.list()).items.map(({ companyId }) => companyId))].sort()
    expect(await companiesOf(parent)).toEqual([parent.companyId, child.companyId])
    expect(await companiesOf(child)).toEqual([child.companyId])
    await expect(sessionOf(child).audit.list({ companyId: parent.companyId })).rejects.toMatchObject({
      code: 'ERR_FORBIDDEN',
    })
    await expect(sessionOf(child).audit.list({ companyId: other.companyId })).rejects.toMatchObject({
      code: 'ERR_FORBIDDEN',
    })
    await engine.close()
  })

  // A103
  it('sees no addresses of users in the companies above', async () => {
    const { engine } = await memoryEngine()
    const parent = await newCompany(engine)
    const child = await newCompany(engine, parent.companyId)
    const appRoleId = await roleId(engine, 'Administrator')
    for (const { userId, tenantId } of [parent, child]) {
      await engine.administration.permissions.grant({ userIdentityId: userId, appAccountId: tenantId, appRoleId })
    }
    const origin = { clientId: 'ak_parent', remoteAddress: '192.0.2.7', requestId: 'request-1' }
    const above = engine.as({ companyId: parent.companyId, userId: parent.userId, accountId: parent.tenantId, origin })
    const below = engine.as({ companyId: child.companyId, userId: child.userId, accountId: child.tenantId })
    const { id } = await engine.administration.permissions.grant({
      userIdentityId: parent.userId,
      appAccountId: child.tenantId,
      appRoleId,
    })
    await above.permissions.delete(id)
    const entry = { action: 'permission.revoked', targetId: id, actor: { kind: 'user', userId: parent.userId } }
    expect((await above.audit.list({ limit: 1 })).items).toMatchObject([{ ...entry, ...origin }])
    const nothing = { clientId: null, remoteAddress: null, requestId: null }
    expect((await below.audit.list({ limit: 1 })).items).toMatchObject([{ ...entry, ...nothing }])
    await engine.close()
  })

  // A104
  it('needs tenant:manage', async () => {
    const { engine } = await memoryEngine()
    const { companyId, userId, tenantId } = await newCompany(engine)
    const appRoleId = await roleId(engine, 'Member')
    await engine.administration.permissions.grant({ userIdentityId: userId, appAccountId: tenantId, appRoleId })
    const session = engine.as({ companyId, userId, accountId: tenantId })
    await expect(session.audit.list()).rejects.toMatchObject({ code: 'ERR_FORBIDDEN' })
    await expect(session.audit.entries()[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'ERR_FORBIDDEN',
    })
    await engine.close()
  })
})

describe('a list of the audit trail', () => {
  // A105
  it('returns pages and applies filters while entries are added', async () => {
    const { engine, clock } = await memoryEngine()
    const { companyId, userId, tenantId } = await newCompany(engine)
    const appRoleId = await roleId(engine, 'Member')
    const { id } = await engine.administration.permissions.grant({
      userIdentityId: userId,
      appAccountId: tenantId,
      appRoleId,
    })
    const began = clock.now().toISOString()
    for (let at = 0; at < 6; at += 1) {
      clock.advance(1_000)
      await engine.administration.permissions.toggle(id)
    }
    const all = (await engine.administration.audit.list({ companyId })).items
    expect(all.slice(0, 6).map(({ action }) => action)).toEqual([
      ...['permission.resumed', 'permission.suspended', 'permission.resumed'],
      ...['permission.suspended', 'permission.resumed', 'permission.suspended'],
    ])
    const first = await engine.administration.audit.list({ companyId, limit: 4 })
    await engine.administration.permissions.toggle(id)
    const second = await engine.administration.audit.list({ companyId, limit: 1_000, cursor: first.nextCursor ?? '' })
    expect([...first.items, ...second.items]).toEqual(all)
    expect(second.nextCursor).toBeNull()
    const suspended = await listed(engine, { action: 'permission.suspended' })
    expect(suspended).toHaveLength(4)
    expect((await listed(engine, { from: suspended[1]?.time ?? '', to: suspended[2]?.time ?? '' })).length).toBe(2)
    expect(await listed(engine, { to: began, action: 'permission.suspended' })).toEqual([])
    expect(await listed(engine, { userId: 999 })).toEqual([])
    expect((await listed(engine, { limit: 3 })).map(({ action }) => action)).toEqual([
      ...['permission.suspended', 'permission.resumed', 'permission.suspended'],
    ])
    await engine.close()
  })

  // A105
  it.each<[string, object]>([
    ['limit', { limit: 1_001 }],
    ['limit', { limit: 0 }],
    ['cursor', { cursor: '-1' }],
    ['action', { action: 'permission.invented' }],
    ['from', { from: 'yesterday' }],
    ['to', { to: '2026-13-01' }],
  ])('refuses an invalid %s', async (field, query) => {
    const { engine } = await memoryEngine()
    await expect(engine.administration.audit.list(query)).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field })
    await engine.close()
  })
})

describe('the audit trail over time', () => {
  // A113
  it.each([
    ['400 days by default', undefined, 400],
    ['as long as the host says', 7, 7],
  ])('is kept %s', async (_how, auditRetentionDays, days) => {
    const storage = new MemoryStorage()
    const before = new Date('2026-01-01T00:00:00.000Z').getTime()
    const made = await memoryEngine({ storage, roles: ['ingest'] })
    await newCompany(made.engine)
    const old = (await listed(made.engine)).length
    made.clock.advance(1_000)
    await newCompany(made.engine)
    const all = await listed(made.engine)
    const clock = new MemoryClock(new Date(before + days * 86_400_000 + 500))
    const later = await memoryEngine({ storage, clock, ...(auditRetentionDays && { auditRetentionDays }) })
    await expect.poll(async () => (await listed(later.engine)).length).toBe(all.length - old)
    expect(await listed(later.engine)).toEqual(all.slice(old))
    await later.engine.close()
  })

  // A113
  it.each([0, 36_501, 1.5, '400'])('cannot be kept for %s days', async (auditRetentionDays) => {
    const opening = memoryEngine({ auditRetentionDays: auditRetentionDays as number })
    await expect(opening).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'auditRetentionDays' })
  })
})

describe('a refusal', () => {
  // A114
  it('stays a refusal when it cannot be recorded, and telemetry reports that', async () => {
    const storage = new HookedStorage(new MemoryStorage(), (call, go) => {
      if (call === 'rates.consume') throw new Error('no counters')
      return go()
    })
    const { engine, telemetry } = await memoryEngine({ storage })
    const { id: companyId } = await engine.administration.companies.create({ name: 'Company', parentId: 1 })
    const { userId } = await engine.administration.apiKeys.create({ companyId })
    const [account] = (await engine.administration.accounts.list()).filter(({ customerId }) => customerId === companyId)
    const session = engine.as({ companyId, userId, accountId: account?.id ?? 0 })
    const foreign = { userIdentityId: userId, appAccountId: 1, appRoleId: 1 }
    await expect(session.permissions.create(foreign)).rejects.toMatchObject({ code: 'ERR_FORBIDDEN' })
    expect(telemetry.events.map(({ name }) => name)).toContain('audit.refusal.unrecorded')
    await engine.close()
  })
})
