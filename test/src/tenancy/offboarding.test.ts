import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemoryStorage } from '../../../adapters/memory/index.js'
import type { Engine, EngineRole, Principal } from '../../../src/index.js'
import type { Storage } from '../../../src/ports/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'
import { DATABASES, type TestDatabase } from '../outbox/database.js'
import { HookedStorage } from '../outbox/hooked-storage.js'

const ADDRESS = 'ada.lovelace@example.com'
const PASSWORD = 'correct horse battery 東京'

/** `done`, or the code of the refusal. */
async function outcomeOf(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => 'done',
    (error: unknown) => (error as { readonly code?: string }).code ?? String(error),
  )
}

type Tables = readonly { readonly name: string }[]

/** Texts of all columns of all tables that hold a text. */
async function rowsWith({ knex, name: database }: TestDatabase, text: string): Promise<string[]> {
  const found = await knex.raw<Tables | { readonly rows: Tables }>(
    database === 'SQLite'
      ? `select name from sqlite_master where type = 'table' and name like 'alcove%'`
      : `select table_name as name from information_schema.tables where table_schema = current_schema()`,
  )
  const tables = 'rows' in found ? found.rows : found
  const rows: string[] = []
  for (const { name } of tables) {
    for (const row of await knex(name).select()) {
      const rowText = JSON.stringify(row, (_key, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value,
      ).toLowerCase()
      if (rowText.includes(text.toLowerCase())) rows.push(`${name}: ${rowText}`)
    }
  }
  return rows
}

describe.each([
  {
    name: 'memory',
    open: async () => ({ storage: () => new MemoryStorage() as Storage, dispose: async () => undefined }),
  },
  ...DATABASES,
])('on $name', ({ open }) => {
  let database: { storage(): Storage; dispose(): Promise<void> }
  let made: MemoryEngine
  let engine: Engine

  beforeEach(async () => {
    database = await open()
    made = await memoryEngine({ storage: database.storage() })
    engine = made.engine
  })

  afterEach(async () => {
    await engine.close()
    await database.dispose()
  })

  async function newCompany(parentId = 1) {
    const { administration } = engine
    const { id: companyId } = await administration.companies.create({ name: 'Analytical Engines', parentId })
    const accounts = (await administration.accounts.list()).filter(({ customerId }) => customerId === companyId)
    const idOf = (key: string): number => accounts.find(({ application }) => application === key)?.id ?? 0
    return { companyId, assistantId: idOf('assistant'), tenantId: idOf('tenant') }
  }

  /**
   * Ada has Member on the assistant account, a key, and a context with a document. She gave a right to another user.
   */
  async function newAda() {
    const { administration } = engine
    const company = await newCompany()
    const roles = await administration.roles.list()
    const roleId = (name: string): number => roles.find((role) => role.name === name)?.id ?? 0
    const added = await administration.users.add({ email: ADDRESS, name: 'Ada Lovelace', companyId: company.companyId })
    await administration.users.completeSetup(added.id, PASSWORD)
    const { id: tenantPermission } = await administration.permissions.grant({
      userIdentityId: added.id,
      appAccountId: company.tenantId,
      appRoleId: roleId('Administrator'),
    })
    const key = await administration.apiKeys.create({ companyId: company.companyId, userId: added.id })
    const principal: Principal = { companyId: company.companyId, userId: added.id, accountId: company.assistantId }
    const session = engine.as(principal)
    const { id: contextId } = await session.contexts.create(NEW_CONTEXT)
    const uuid = await uploadText(session, contextId, 'leave.txt', 'Parental leave lasts sixteen weeks.')
    const other = await engine
      .as({ ...principal, accountId: company.tenantId })
      .users.add({ email: 'charles@example.com' })
    const { access_token: token } = await engine.authentication.issueToken({
      clientId: key.clientId,
      clientSecret: key.clientSecret,
      targetApp: 'assistant',
    })
    return {
      ...company,
      userId: added.id,
      key,
      principal,
      session,
      contextId,
      uuid,
      other,
      token,
      roleId,
      tenantPermission,
    }
  }

  type Ada = Awaited<ReturnType<typeof newAda>>

  /** The answer of each way to authenticate: a principal, a token, a key, a password. */
  async function waysIn({ session, token, key }: Ada): Promise<Record<string, string>> {
    const { clientId, clientSecret } = key
    const user = await engine.administration.verifyPassword(ADDRESS, PASSWORD)
    return {
      principal: await outcomeOf(session.contexts.list()),
      token: await outcomeOf(engine.authentication.authenticate(token)),
      key: await outcomeOf(engine.authentication.issueToken({ clientId, clientSecret, targetApp: 'assistant' })),
      password: user === undefined ? 'refused' : 'done',
    }
  }

  const OPEN = { principal: 'done', token: 'done', key: 'done', password: 'done' }
  const CLOSED = {
    principal: 'ERR_UNAUTHENTICATED',
    token: 'ERR_UNAUTHENTICATED',
    key: 'ERR_TOKEN_REQUEST',
    password: 'refused',
  }

  /** No table contains any of these texts; memory has no tables to search. */
  async function expectErased(...texts: readonly string[]): Promise<void> {
    if (!('knex' in database)) return
    for (const text of texts) expect(await rowsWith(database as unknown as TestDatabase, text)).toEqual([])
  }

  const linksTo = (address: string): string[] =>
    made.mailer.sent
      .filter(({ to }) => to.address === address)
      .map(({ text }) => /token=([\w-]+)/.exec(text)?.[1] ?? '')

  // A80
  it('a disabled user is refused by every way to authenticate, until enabled', async () => {
    const ada = await newAda()
    const { users } = engine.administration
    expect(await waysIn(ada)).toEqual(OPEN)
    expect(await users.disable(ada.userId)).toMatchObject({ id: ada.userId, disabled: true })
    expect(await waysIn(ada)).toEqual(CLOSED)
    expect((await users.list()).find(({ id }) => id === ada.userId)).toMatchObject({ email: ADDRESS, disabled: true })
    expect(await users.enable(ada.userId)).toMatchObject({ disabled: false })
    // A token of before has ended for good, and a new one is issued.
    expect(await waysIn(ada)).toEqual({ ...OPEN, token: 'ERR_UNAUTHENTICATED' })
  })

  // A80
  it('an upload of a user who is disabled during it creates no document', async () => {
    const ada = await newAda()
    async function* content(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode('Parental leave ')
      await engine.administration.users.disable(ada.userId)
      yield new TextEncoder().encode('lasts eighteen weeks.')
    }
    const upload = ada.session.documents.upload(ada.contextId, { fileName: 'late.txt', content: content() })
    expect(await outcomeOf(upload)).toBe('ERR_UNAUTHENTICATED')
    await engine.administration.users.enable(ada.userId)
    expect((await ada.session.documents.list(ada.contextId)).map(({ originalName }) => originalName)).toEqual([
      'leave.txt',
    ])
  })

  // A80
  it('a disabled user receives no mail, and their open links end', async () => {
    const { administration } = engine
    const { companyId } = await newCompany()
    const { id } = await administration.users.add({ email: ADDRESS, companyId })
    const [link = ''] = linksTo(ADDRESS)
    await administration.users.disable(id)
    await engine.authentication.requestPasswordReset({ email: ADDRESS })
    expect(await outcomeOf(engine.as(engine.owner).users.reinitiate(id))).toBe('ERR_INVALID_INPUT')
    expect(linksTo(ADDRESS)).toHaveLength(1)
    expect(await outcomeOf(engine.authentication.setPassword({ token: link, password: PASSWORD }))).toBe(
      'ERR_INVALID_INPUT',
    )
    await administration.users.enable(id)
    await engine.as(engine.owner).users.reinitiate(id)
    const secondLink = linksTo(ADDRESS)[1] ?? ''
    expect(await outcomeOf(engine.authentication.setPassword({ token: secondLink, password: PASSWORD }))).toBe('done')
  })

  // A81
  it('a deleted user leaves no address and no name, and can be added as a new user', async () => {
    const ada = await newAda()
    const { administration } = engine
    await engine.authentication.requestPasswordReset({ email: ADDRESS })
    const link = linksTo(ADDRESS).at(-1) ?? ''
    await administration.users.delete(ada.userId)
    expect(await waysIn(ada)).toEqual(CLOSED)
    expect(await outcomeOf(engine.authentication.setPassword({ token: link, password: PASSWORD }))).toBe(
      'ERR_INVALID_INPUT',
    )
    await expectErased('lovelace', ada.key.clientId)
    expect((await administration.users.list()).map(({ id }) => id)).not.toContain(ada.userId)
    const rights = await administration.permissions.list()
    expect(rights.filter(({ userIdentityId }) => userIdentityId === ada.userId)).toEqual([])
    // Records of the user's actions stay, with the id alone.
    const given = rights.find(({ userIdentityId }) => userIdentityId === ada.other.id)
    expect(JSON.parse(given?.createdBy ?? '')).toEqual({ id: ada.userId, email: '' })
    expect(await outcomeOf(administration.users.delete(ada.userId))).toBe('ERR_USER_NOT_FOUND')
    expect(await outcomeOf(administration.users.enable(ada.userId))).toBe('ERR_USER_NOT_FOUND')
    const secondUser = await administration.users.add({ email: ADDRESS, companyId: ada.companyId })
    expect(secondUser.id).not.toBe(ada.userId)
    expect(await outcomeOf(administration.users.delete(secondUser.id))).toBe('done')
    expect(await outcomeOf(administration.users.delete(999))).toBe('ERR_USER_NOT_FOUND')
  })

  // A82
  it('contexts of a deleted user stay with their account, or are deleted with their files', async () => {
    for (const contexts of ['keep', 'delete'] as const) {
      const ada = await newAda()
      const seeing = engine.as({ ...engine.owner, accountId: ada.assistantId })
      const administrator = ada.roleId('Administrator')
      await engine.administration.permissions.grant({
        userIdentityId: engine.owner.userId,
        appAccountId: ada.assistantId,
        appRoleId: administrator,
      })
      expect(await seeing.contexts.list()).toHaveLength(1)
      await engine.administration.users.delete(ada.userId, { contexts })
      const isKept = contexts === 'keep'
      expect((await seeing.contexts.list()).map(({ id }) => id)).toEqual(isKept ? [ada.contextId] : [])
      await engine.whenCleared()
      expect(await outcomeOf(seeing.documents.open(ada.uuid))).toBe(isKept ? 'done' : 'ERR_DOCUMENT_NOT_FOUND')
      expect(await filesLeft()).toEqual(isKept ? [ada.uuid] : [])
      if (isKept) await seeing.contexts.delete(ada.contextId)
      await engine.whenCleared()
      await engine.administration.users.delete(ada.other.id)
    }
    expect(await outcomeOf(engine.administration.users.delete(1, { contexts: 'burn' as 'keep' }))).toBe(
      'ERR_INVALID_INPUT',
    )
  })

  /** Starts a new engine with a storage that records the called methods. */
  async function recordCalls(): Promise<string[]> {
    const calls: string[] = []
    await engine.close()
    const hooked = new HookedStorage(database.storage(), (call, go) => {
      calls.push(call)
      return go()
    })
    made = await memoryEngine({ storage: hooked })
    engine = made.engine
    return calls
  }

  /** Contexts beside Ada's own, each with a document. */
  async function moreContexts({ session, contextId }: Ada): Promise<number[]> {
    const ids = [contextId]
    for (let at = 0; at < 4; at += 1) {
      const { id } = await session.contexts.create(NEW_CONTEXT)
      await uploadText(session, id, 'leave.txt', `Parental leave lasts ${at} weeks.`)
      ids.push(id)
    }
    return ids
  }

  const entriesOf = async (action: 'context.deleted') =>
    (await engine.administration.audit.list({ action })).items.toReversed()

  // A82, A85
  it.each(['user', 'account'] as const)(
    'the contexts of a deleted %s are not read, however large, and each one leaves an entry',
    async (kind) => {
      const calls = await recordCalls()
      const ada = await newAda()
      const ids = await moreContexts(ada)
      const { users, accounts } = engine.administration
      calls.length = 0
      if (kind === 'user') await users.delete(ada.userId, { contexts: 'delete' })
      else await accounts.delete(ada.assistantId)
      // A list of rows holds each text of each context in memory at once.
      expect(calls.filter((call) => call === 'contexts.list')).toEqual([])
      const entries = (await entriesOf('context.deleted')).map(({ companyId, targetId, details, actor }) => {
        return { companyId, targetId, details, kind: actor.kind }
      })
      const of = { companyId: ada.companyId, details: { accountId: ada.assistantId }, kind: 'host' }
      expect(entries).toEqual(ids.map((targetId) => ({ ...of, targetId })))
      await engine.whenCleared()
      expect(calls.filter((call) => call === 'contexts.list')).toEqual([])
      expect(await filesLeft()).toEqual([])
      expect(await made.vectorIndex.listCollections()).toEqual([])
      const left = await database.storage().read(({ contexts }) => contexts.page({ after: 0, limit: 10 }))
      if ('knex' in database) expect(left).toEqual([])
      expect((await engine.administration.verify()).problems).toEqual([])
    },
  )

  // A85
  it('a process that ends before the purge of a deleted account leaves it to the next process', async () => {
    // A storage in memory keeps no data for a next process.
    if (!('knex' in database)) return
    const ada = await newAda()
    await moreContexts(ada)
    const { fileStore } = made
    const reopen = async (roles: readonly EngineRole[]) => {
      await engine.close()
      engine = (await memoryEngine({ storage: database.storage(), fileStore, roles })).engine
    }
    await reopen(['relay'])
    await engine.administration.accounts.delete(ada.assistantId)
    expect(await outcomeOf(engine.as(ada.principal).contexts.list())).toBe('ERR_FORBIDDEN')
    expect(await filesLeft()).toHaveLength(5)
    await reopen(['ingest'])
    await engine.whenCleared()
    const left = await database.storage().read(({ contexts }) => contexts.page({ after: 0, limit: 10 }))
    expect([left, await filesLeft()]).toEqual([[], []])
  })

  // A87
  it('companies that lose keys and permissions with a deleted company find that in their audit trail', async () => {
    const ada = await newAda()
    const { administration } = engine
    const abroad = await newCompany()
    const { permissions, apiKeys, companies, audit } = administration
    const roleId = ada.roleId('Member')
    const right = { userIdentityId: ada.userId, appAccountId: abroad.assistantId, appRoleId: roleId }
    const { id: permissionId } = await permissions.grant(right)
    const key = await apiKeys.create({ companyId: abroad.companyId, userId: ada.userId })
    const revoked = await apiKeys.create({ companyId: abroad.companyId, userId: ada.userId })
    await apiKeys.revoke(revoked.id)
    const before = (await audit.list({ companyId: abroad.companyId })).items.length
    await companies.delete(ada.companyId)
    const { items } = await audit.list({ companyId: abroad.companyId })
    const { userId } = ada
    expect(items.slice(0, items.length - before)).toMatchObject([
      { action: 'api-key.revoked', targetId: key.id, details: { userId }, actor: { kind: 'host' } },
      {
        action: 'permission.revoked',
        targetId: permissionId,
        details: { userId, accountId: abroad.assistantId, roleId },
        actor: { kind: 'host' },
      },
    ])
    const own = await audit.list({ companyId: ada.companyId })
    expect(own.items[0]?.action).toBe('company.deleted')
    expect(await permissions.list()).not.toContainEqual(expect.objectContaining({ id: permissionId }))
    expect((await apiKeys.list()).map(({ companyId }) => companyId)).not.toContain(abroad.companyId)
  })

  async function filesLeft(): Promise<string[]> {
    const keys: string[] = []
    for await (const key of made.fileStore.list()) keys.push(key)
    return keys
  }

  // A83
  it('the owner, their account and their company can be neither disabled nor deleted', async () => {
    const { administration, owner } = engine
    for (const attempt of [
      () => administration.users.disable(owner.userId),
      () => administration.users.delete(owner.userId),
      () => administration.accounts.delete(owner.accountId),
      () => administration.companies.disable(owner.companyId),
      () => administration.companies.delete(owner.companyId),
    ]) {
      expect(await outcomeOf(attempt())).toBe('ERR_IN_USE')
    }
    expect(await outcomeOf(engine.as(owner).contexts.list())).toBe('done')
  })

  // A84
  it('a disabled role gives no rights, cannot be granted, and gives its rights after it is enabled', async () => {
    const ada = await newAda()
    const { roles, permissions, users } = engine.administration
    const { id } = await roles.create({ name: 'Clerk', applications: ['assistant'], capabilities: ['context:read'] })
    const charles = engine.as({ ...ada.principal, userId: ada.other.id })
    const [permission] = (await permissions.list()).filter(({ userIdentityId }) => userIdentityId === ada.other.id)
    const manager = engine.as({ ...ada.principal, accountId: ada.tenantId })
    await manager.permissions.update({ id: permission?.id ?? 0, appRoleId: id })
    expect(await outcomeOf(charles.contexts.list())).toBe('done')
    const key = await engine.administration.apiKeys.create({ companyId: ada.companyId, userId: ada.other.id })
    const request = { clientId: key.clientId, clientSecret: key.clientSecret, targetApp: 'assistant' } as const
    const { access_token: token } = await engine.authentication.issueToken(request)
    expect(await roles.disable(id)).toMatchObject({ disabled: true })
    expect(await outcomeOf(charles.contexts.list())).toBe('ERR_FORBIDDEN')
    expect(await outcomeOf(engine.authentication.authenticate(token))).toBe('ERR_FORBIDDEN')
    expect(await outcomeOf(engine.authentication.issueToken(request))).toBe('ERR_TOKEN_REQUEST')
    const { id: userIdentityId } = await users.add({ email: 'new@example.com', companyId: ada.companyId })
    const granted = { userIdentityId, appAccountId: ada.tenantId, appRoleId: id }
    expect(await outcomeOf(permissions.grant(granted))).toBe('ERR_INVALID_INPUT')
    const path = { type: 1, region: 1, account: ada.assistantId }
    expect((await manager.permissions.options(path)).roles.map(({ value }) => value)).not.toContain(id)
    expect(await outcomeOf(roles.delete(id))).toBe('ERR_IN_USE')
    await roles.enable(id)
    expect(await outcomeOf(charles.contexts.list())).toBe('done')
    expect(await outcomeOf(engine.authentication.authenticate(token))).toBe('done')
  })

  // A84
  it('a role can be deleted once no permission has it, and the roles of the engine stay', async () => {
    const ada = await newAda()
    const { roles, permissions } = engine.administration
    const { id } = await roles.create({ name: 'Clerk', applications: ['tenant'], capabilities: ['context:read'] })
    const granted = { userIdentityId: ada.other.id, appAccountId: ada.tenantId, appRoleId: id }
    const permission = await permissions.grant(granted)
    await expect(roles.delete(id)).rejects.toThrow(`1 permission has the role ${id}`)
    await permissions.revoke(permission.id)
    await roles.delete(id)
    expect((await roles.list()).map(({ name }) => name)).toEqual(['Administrator', 'Member', 'Reader'])
    for (const name of ['Administrator', 'Member', 'Reader']) {
      expect(await outcomeOf(roles.disable(ada.roleId(name)))).toBe('ERR_IN_USE')
      expect(await outcomeOf(roles.delete(ada.roleId(name)))).toBe('ERR_IN_USE')
    }
    expect(await outcomeOf(roles.delete(999))).toBe('ERR_ROLE_NOT_FOUND')
  })

  // A85
  it('a deleted account refuses calls at once, and its contexts, files and permissions are deleted', async () => {
    const ada = await newAda()
    const { accounts, permissions } = engine.administration
    await accounts.delete(ada.assistantId)
    expect(await waysIn(ada)).toMatchObject({ principal: 'ERR_FORBIDDEN', token: 'ERR_FORBIDDEN', password: 'done' })
    expect((await accounts.list()).map(({ id }) => id)).not.toContain(ada.assistantId)
    expect((await permissions.list()).map(({ appAccountId }) => appAccountId)).not.toContain(ada.assistantId)
    await engine.whenCleared()
    expect(await filesLeft()).toEqual([])
    expect(await made.vectorIndex.listCollections()).toEqual([])
    expect(await outcomeOf(accounts.delete(ada.assistantId))).toBe('ERR_ACCOUNT_NOT_FOUND')
    expect(await outcomeOf(accounts.setActive(ada.assistantId, true))).toBe('ERR_ACCOUNT_NOT_FOUND')
    expect((await engine.administration.verify()).problems).toEqual([])
  })

  // A86
  it('a disabled company refuses users who belong to it, act for it or use its accounts', async () => {
    const ada = await newAda()
    const { administration } = engine
    const below = await newCompany(ada.companyId)
    const belowKey = await administration.apiKeys.create({ companyId: below.companyId })
    const abroad = await newCompany()
    await administration.permissions.grant({
      userIdentityId: ada.userId,
      appAccountId: abroad.assistantId,
      appRoleId: ada.roleId('Member'),
    })
    const foreignKey = await administration.apiKeys.create({ companyId: abroad.companyId })
    await administration.permissions.grant({
      userIdentityId: foreignKey.userId,
      appAccountId: ada.assistantId,
      appRoleId: ada.roleId('Member'),
    })
    const attempts = async () => ({
      member: await waysIn(ada),
      memberAbroad: await outcomeOf(
        engine.as({ companyId: abroad.companyId, userId: ada.userId, accountId: abroad.assistantId }).contexts.list(),
      ),
      guest: await outcomeOf(engine.as({ ...ada.principal, userId: foreignKey.userId }).contexts.list()),
      guestKey: await outcomeOf(
        engine.authentication.issueToken({ ...secretsOf(foreignKey), accountId: ada.assistantId }),
      ),
      below: await outcomeOf(engine.authentication.issueToken(secretsOf(belowKey))),
    })
    const secretsOf = ({ clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string }) => {
      return { clientId, clientSecret, targetApp: 'assistant' } as const
    }
    const before = await attempts()
    expect(before).toMatchObject({ member: OPEN, memberAbroad: 'done', guest: 'done', below: 'done' })
    expect(await administration.companies.disable(ada.companyId)).toMatchObject({ disabled: true })
    expect(await attempts()).toEqual({
      member: CLOSED,
      memberAbroad: 'ERR_UNAUTHENTICATED',
      guest: 'ERR_UNAUTHENTICATED',
      guestKey: 'ERR_TOKEN_REQUEST',
      below: 'done',
    })
    const sent = made.mailer.sent.length
    await engine.authentication.requestPasswordReset({ email: ADDRESS })
    expect(made.mailer.sent).toHaveLength(sent)
    await administration.companies.enable(ada.companyId)
    // A token of before has ended for good, and a new one is issued.
    expect(await attempts()).toEqual({ ...before, member: { ...OPEN, token: 'ERR_UNAUTHENTICATED' } })
  })

  // A86
  it('events of a disabled company are recorded, but not delivered to its destinations', async () => {
    const { companyId } = await newCompany()
    const { administration, events } = engine
    await administration.destinations.create({
      url: 'https://root.example/',
      eventTypes: null,
      includeDescendants: true,
    })
    await administration.destinations.create({ url: 'https://own.example/', eventTypes: null, customerId: companyId })
    const event = { type: 'agent.deleted', data: { agentId: 42 }, companyId } as const
    await administration.companies.disable(companyId)
    expect(await events.record(event)).toMatchObject({ deliveries: 1 })
    await administration.companies.enable(companyId)
    expect(await events.record(event)).toMatchObject({ deliveries: 2 })
  })

  // A86
  it('open deliveries to a destination of a disabled company are cancelled, and can be sent later', async () => {
    const { companyId } = await newCompany()
    const { companies, destinations, deliveries } = engine.administration
    const { id: destinationId } = await destinations.create({
      url: 'https://own.example/',
      eventTypes: null,
      customerId: companyId,
    })
    const statusOf = async (id: number) => (await deliveries.get(id)).status
    const { id } = await destinations.test(destinationId)
    await expect.poll(() => statusOf(id)).toBe('succeeded')
    await companies.disable(companyId)
    const secondDelivery = await deliveries.resend(id)
    await expect.poll(() => statusOf(secondDelivery.id)).toBe('cancelled')
    expect(made.httpTransport.requests).toHaveLength(1)
    await companies.enable(companyId)
    const last = await deliveries.resend(secondDelivery.id)
    await expect.poll(() => statusOf(last.id)).toBe('succeeded')
  })

  // A87
  it('a deleted company loses all of its data', async () => {
    const ada = await newAda()
    const { administration, events } = engine
    const { companyId } = ada
    await administration.destinations.create({
      url: 'https://root.example/',
      eventTypes: null,
      includeDescendants: true,
    })
    const own = await administration.destinations.create({
      url: 'https://lovelace.example/',
      eventTypes: null,
      customerId: companyId,
    })
    const name = 'Keeper of the engine'
    const role = { name, applications: ['assistant'], capabilities: ['search'], companyId }
    await administration.roles.create(role)
    await events.record({ type: 'agent.created', data: { agentId: 42, name: 'Lovelace' }, companyId })
    const child = await newCompany(companyId)
    await expect(administration.companies.delete(companyId)).rejects.toThrow(`has 1 company below it`)
    expect(await outcomeOf(administration.companies.delete(companyId))).toBe('ERR_IN_USE')
    await administration.companies.delete(child.companyId)
    await administration.companies.delete(companyId)
    expect(await waysIn(ada)).toEqual(CLOSED)
    expect((await administration.companies.list()).map(({ id }) => id)).toEqual([1])
    expect((await administration.accounts.list()).every(({ customerId }) => customerId === 1)).toBe(true)
    expect((await administration.users.list()).every(({ customerId }) => customerId === 1)).toBe(true)
    expect((await administration.apiKeys.list()).map(({ companyId: of }) => of)).not.toContain(companyId)
    expect((await administration.roles.list()).map((one) => one.name)).not.toContain(name)
    const refused = { email: 'new@example.com', companyId }
    expect(await outcomeOf(administration.users.add(refused))).toBe('ERR_COMPANY_NOT_FOUND')
    expect(await outcomeOf(administration.apiKeys.create({ companyId }))).toBe('ERR_COMPANY_NOT_FOUND')
    expect(await outcomeOf(administration.companies.delete(companyId))).toBe('ERR_COMPANY_NOT_FOUND')
    expect(await outcomeOf(administration.companies.enable(companyId))).toBe('ERR_COMPANY_NOT_FOUND')
    await engine.whenCleared()
    expect(await filesLeft()).toEqual([])
    expect(await made.vectorIndex.listCollections()).toEqual([])
    expect(await outcomeOf(administration.destinations.test(own.id))).toBe('ERR_DESTINATION_NOT_FOUND')
    expect((await administration.deliveries.list({})).items).toEqual([])
    await expectErased('lovelace', 'charles', 'Analytical', name, 'Handbook', ada.key.clientId)
    // The audit trail stays, with ids alone.
    const { items } = await administration.audit.list({ companyId })
    expect((await engine.as(engine.owner).audit.list({ companyId })).items[0]?.action).toBe('company.deleted')
    expect(items[0]).toMatchObject({ action: 'company.deleted', targetId: companyId, details: { parentId: 1 } })
    const above = await engine.as(engine.owner).audit.list({ action: 'company.deleted' })
    expect(above.items.map(({ targetId }) => targetId)).toEqual([companyId, child.companyId])
    expect((await administration.verify()).problems).toEqual([])
    expect((await administration.users.add({ email: ADDRESS, companyId: 1 })).email).toBe(ADDRESS)
  })

  // A88
  it('an account accepts no new items while it is deleted', async () => {
    const ada = await newAda()
    const made = Array.from({ length: 8 }, () => outcomeOf(ada.session.contexts.create(NEW_CONTEXT)))
    await engine.administration.accounts.delete(ada.assistantId)
    await Promise.all(made)
    await engine.whenCleared()
    const left = await database.storage().read(({ contexts }) => contexts.page({ after: 0, limit: 10 }))
    if ('knex' in database) expect(left).toEqual([])
  })
})
