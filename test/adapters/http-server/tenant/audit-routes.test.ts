import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeApi } from '../../../../adapters/http-server/index.js'
import { MemoryHttpTransport, MemoryMailer } from '../../../../adapters/memory/index.js'
import type { AuditAction, AuditEntry, HostAdministration } from '../../../../src/index.js'
import { otpCode } from '../../../otp-code.js'
import { fileForm, NEW_CONTEXT, type RequestOptions, startServer, type TestServer } from '../server.js'

let server: TestServer
let administration: HostAdministration
const mailer = new MemoryMailer()
const tokens = { assistant: '', tenant: '' }
const PASSWORD = 'correct horse battery 東京'
const TEXT = 'Parental leave lasts sixteen weeks.'
/** Texts that no entry may contain. */
const secrets = ['@', 'sk_', 'whsec_', 'eyJ', PASSWORD, TEXT, 'Lovelace', 'Handbook', 'hook.example', 'report.txt']

beforeAll(async () => {
  server = await startServer({}, undefined, { mailer, httpTransport: new MemoryHttpTransport() })
  administration = server.engine.administration
  for (const target of ['assistant', 'tenant'] as const) tokens[target] = await server.token(target)
})

afterAll(async () => {
  await server.close()
})

/** The entries that the audit trail must contain after an operation. */
interface Expected {
  readonly actions: readonly AuditAction[]
  readonly companyId: number | null
  /** The target of the first action, if it is known before. */
  readonly targetId?: number | null
  /** Default: the user of the server's key. */
  readonly actor?: AuditEntry['actor']
}

interface Mutation extends Expected {
  readonly path?: string
  readonly token?: 'assistant' | 'tenant'
  /** The action that a refusal records; default the first action. */
  readonly refusedAs?: AuditAction
  readonly options?: RequestOptions
}

let count = 0
const newEmail = (): string => `ada.lovelace-${(count += 1)}@example.com`
const newUrl = (): string => `https://hook.example/${(count += 1)}`

async function newUser(): Promise<number> {
  return (await administration.users.add({ email: newEmail(), name: 'Ada Lovelace', companyId: 1 })).id
}

async function newRight() {
  const accountId = (await administration.accounts.list()).find(({ application }) => application === 'tenant')?.id ?? 0
  const roles = await administration.roles.list()
  const idOf = (name: string): number => roles.find((role) => role.name === name)?.id ?? 0
  return {
    userIdentityId: await newUser(),
    appAccountId: accountId,
    appRoleId: idOf('Member'),
    administratorId: idOf('Administrator'),
  }
}

async function newPermission(): Promise<number> {
  const { administratorId: _, ...right } = await newRight()
  return (await administration.permissions.grant(right)).id
}

async function newContext(): Promise<number> {
  return (await server.engine.as(server.engine.owner).contexts.create(NEW_CONTEXT)).id
}

async function newDocument() {
  const { documents } = server.engine.as(server.engine.owner)
  const contextId = await newContext()
  const uuid = await documents.upload(contextId, { fileName: 'report.txt', content: Buffer.from(TEXT) })
  await documents.whenProcessed(uuid)
  return { contextId, id: (await documents.get(uuid)).id }
}

async function newDestination(): Promise<number> {
  const destination = await administration.destinations.create({ url: newUrl(), eventTypes: null })
  secrets.push(destination.secret)
  return destination.id
}

/** A deleted user with a context. */
async function newLeaver(): Promise<number> {
  const id = await newUser()
  const [own] = await administration.users.principals(id)
  await server.engine.as(own?.principal ?? server.engine.owner).contexts.create(NEW_CONTEXT)
  await administration.users.delete(id)
  return id
}

/** @returns the secret */
async function beginOtp(id: number): Promise<string> {
  const { secret } = await administration.users.oneTimePassword.begin(id)
  secrets.push(secret)
  return secret
}

async function confirmOtp(id: number, secret: string): Promise<void> {
  const { recoveryCodes } = await administration.users.oneTimePassword.confirm(id, otpCode(secret, server.clock.now()))
  secrets.push(...recoveryCodes)
}

async function newOtpUser(): Promise<number> {
  const id = await newUser()
  await confirmOtp(id, await beginOtp(id))
  return id
}

const USER = { actions: ['user.added', 'permission.created'], companyId: 1 } as const
const DESTINATIONS = '/v1/outbound-webhooks/destinations'
const ANONYMOUS = { kind: 'anonymous', userId: null } as const

/** Every operation of the description that may change something, except those of {@link UNRECORDED}. */
const ROUTES: Readonly<Record<string, () => Promise<Mutation>>> = {
  'POST /auth/reset': async () => {
    const email = newEmail()
    const { id } = await administration.users.add({ email, companyId: 1 })
    return {
      actions: ['password.reset-requested'],
      companyId: 1,
      targetId: id,
      actor: ANONYMOUS,
      options: { json: { email, customerId: 1 } },
    }
  },
  'POST /auth/setup': async () => {
    const id = await newUser()
    const link = /token=([\w-]+)/.exec(JSON.stringify(mailer.sent.at(-1)))?.[1] ?? ''
    secrets.push(link)
    return {
      actions: ['password.set'],
      companyId: 1,
      targetId: id,
      actor: { kind: 'user', userId: id },
      options: { json: { token: link, password: PASSWORD } },
    }
  },
  'POST /connect/revoke': async () => {
    const { clientId, clientSecret } = server.key
    secrets.push(clientSecret)
    const form = { client_id: clientId, client_secret: clientSecret, token: await server.token('assistant') }
    return { actions: ['token.revoked'], companyId: 1, options: { token: undefined, form } }
  },
  'POST /context': async () => ({ actions: ['context.created'], companyId: 1, options: { json: NEW_CONTEXT } }),
  'PUT /context/{contextId}': async () => {
    const id = await newContext()
    return {
      actions: ['context.updated'],
      companyId: 1,
      targetId: id,
      path: `/context/${id}`,
      options: { json: NEW_CONTEXT },
    }
  },
  'PUT /context/settings/{contextId}': async () => {
    const id = await newContext()
    return {
      actions: ['context.updated'],
      companyId: 1,
      targetId: id,
      path: `/context/settings/${id}`,
      options: { json: { topN: 3 } },
    }
  },
  'PUT /context/share/{contextId}': async () => {
    const id = await newContext()
    return {
      actions: ['context.shared'],
      companyId: 1,
      targetId: id,
      path: `/context/share/${id}`,
      options: { json: { shareState: 1 } },
    }
  },
  'PUT /context/owner/{contextId}': async () => {
    const id = await newContext()
    return {
      actions: ['context.handed-over'],
      companyId: 1,
      targetId: id,
      path: `/context/owner/${id}`,
      options: { json: { toUserId: await newUser() } },
    }
  },
  'DELETE /context/{contextId}': async () => {
    const id = await newContext()
    return { actions: ['context.deleted'], companyId: 1, targetId: id, path: `/context/${id}` }
  },
  'POST /context/upload/{contextId}': async () => ({
    actions: ['document.uploaded'],
    companyId: 1,
    path: `/context/upload/${await newContext()}`,
    options: { body: fileForm('report.txt', TEXT) },
  }),
  'PUT /context/upload/{contextId}/{docId}': async () => {
    const { contextId, id } = await newDocument()
    return {
      actions: ['document.replaced'],
      companyId: 1,
      targetId: id,
      path: `/context/upload/${contextId}/${id}`,
      options: { body: fileForm('report.txt', `${TEXT} It was edited.`) },
    }
  },
  'DELETE /context/documents/{contextId}/{docId}': async () => {
    const { contextId, id } = await newDocument()
    return {
      actions: ['document.deleted'],
      companyId: 1,
      targetId: id,
      path: `/context/documents/${contextId}/${id}`,
    }
  },
  'PATCH /context/documents/{contextId}/{docId}': async () => {
    const { contextId, id } = await newDocument()
    return {
      actions: ['document.updated'],
      companyId: 1,
      targetId: id,
      path: `/context/documents/${contextId}/${id}`,
      options: { json: { metadata: { year: 2026 } } },
    }
  },
  'POST /tenant/user': async () => ({ ...USER, options: { json: { email: newEmail(), name: 'Ada Lovelace' } } }),
  'POST /tenant/user/init': async () => {
    const id = await newUser()
    return { actions: ['user.reinitiated'], companyId: 1, targetId: id, options: { json: { id } } }
  },
  'DELETE /tenant/user/{id}': async () => {
    const id = await newUser()
    return {
      actions: ['permission.revoked', 'user.deleted'],
      refusedAs: 'user.deleted',
      companyId: 1,
      path: `/tenant/user/${id}`,
    }
  },
  'POST /tenant/user/{id}/hand-over': async () => {
    const id = await newLeaver()
    return {
      actions: ['user.contexts-handed-over', 'context.handed-over'],
      companyId: 1,
      targetId: id,
      path: `/tenant/user/${id}/hand-over`,
      options: { json: { toUserId: await newUser() } },
    }
  },
  'POST /permission': async () => ({
    actions: ['permission.created'],
    companyId: 1,
    options: { json: await newRight() },
  }),
  'PUT /permission': async () => {
    const { administratorId, ...right } = await newRight()
    const { id } = await administration.permissions.grant(right)
    const json = { id, appRoleId: administratorId }
    return { actions: ['permission.role-changed'], companyId: 1, targetId: id, options: { json } }
  },
  'PATCH /permission/{permId}': async () => {
    const id = await newPermission()
    return { actions: ['permission.suspended'], companyId: 1, targetId: id, path: `/permission/${id}` }
  },
  'DELETE /permission/{permId}': async () => {
    const id = await newPermission()
    return { actions: ['permission.revoked'], companyId: 1, targetId: id, path: `/permission/${id}` }
  },
  'POST /tenant/keys': async () => ({
    actions: ['user.added', 'permission.created', 'permission.created', 'permission.created', 'api-key.created'],
    refusedAs: 'api-key.created',
    companyId: 1,
    options: { json: { targets: ['tenant'] } },
  }),
  'DELETE /tenant/keys/{id}': async () => {
    const { id, clientSecret } = await administration.apiKeys.create({ companyId: 1, userId: await newUser() })
    secrets.push(clientSecret)
    return { actions: ['api-key.revoked'], companyId: 1, targetId: id, path: `/tenant/keys/${id}` }
  },
  [`POST ${DESTINATIONS}`]: async () => ({
    actions: ['destination.created'],
    companyId: 1,
    options: { json: { url: newUrl(), eventTypes: null } },
  }),
  [`PUT ${DESTINATIONS}/{id}`]: async () => {
    const id = await newDestination()
    return {
      actions: ['destination.updated'],
      companyId: 1,
      targetId: id,
      path: `${DESTINATIONS}/${id}`,
      options: { json: { url: newUrl(), eventTypes: null } },
    }
  },
  [`DELETE ${DESTINATIONS}/{id}`]: async () => {
    const id = await newDestination()
    return { actions: ['destination.deleted'], companyId: 1, targetId: id, path: `${DESTINATIONS}/${id}` }
  },
  [`POST ${DESTINATIONS}/{id}/rotate-secret`]: async () => {
    const id = await newDestination()
    return {
      actions: ['destination.secret-rotated'],
      companyId: 1,
      targetId: id,
      path: `${DESTINATIONS}/${id}/rotate-secret`,
    }
  },
  [`POST ${DESTINATIONS}/{id}/test`]: async () => {
    const id = await newDestination()
    return { actions: ['destination.tested'], companyId: 1, targetId: id, path: `${DESTINATIONS}/${id}/test` }
  },
  'POST /v1/outbound-webhooks/deliveries/{id}/resend': async () => {
    const { id } = await administration.destinations.test(await newDestination())
    return {
      actions: ['delivery.resent'],
      companyId: 1,
      path: `/v1/outbound-webhooks/deliveries/${id}/resend`,
    }
  },
}

/** Operations that have a body and change nothing, with the reason. */
const UNRECORDED: Readonly<Record<string, string>> = {
  'POST /connect/introspect': 'the state of a token is read; that a client is refused is recorded',
  'POST /connect/token': 'a token is given; that one is refused is recorded',
  'POST /context/relevant-docs/{contextId}': 'a search',
  'POST /context/relevant-docs': 'a search',
  'POST /context/explain/{contextId}': 'the explanation of a search',
  'POST /context/prepare/{contextId}': 'a search, and a prompt made of it',
  'POST /operator/verify': 'a check that repairs nothing',
}

async function lastId(): Promise<number> {
  return (await administration.audit.list({ limit: 1 })).items[0]?.id ?? 0
}

async function entriesAfter(id: number): Promise<AuditEntry[]> {
  const { items } = await administration.audit.list({ limit: 100 })
  return items.filter((entry) => entry.id > id).reverse()
}

function expectNoSecret(entries: readonly AuditEntry[]): void {
  const text = JSON.stringify(entries)
  for (const secret of secrets) expect(text).not.toContain(secret)
}

describe('every REST operation that changes something', () => {
  // A107
  it('has its actions in the table, or a reason why it has none', () => {
    const { paths } = describeApi() as { readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> }
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const changing = operations.filter((operation) => !operation.startsWith('GET '))
    expect([...Object.keys(ROUTES), ...Object.keys(UNRECORDED)].sort()).toEqual(changing.sort())
  })

  // A107
  it.each(Object.entries(ROUTES))('records exactly its audit entries: %s', async (operation, prepare) => {
    const [method = '', described = ''] = operation.split(' ')
    const mutation = await prepare()
    const { actions, companyId, targetId, actor, path = described, options = {} } = mutation
    const before = await lastId()
    const isPublic = described.startsWith('/auth')
    const token = isPublic ? undefined : described.startsWith('/context') ? tokens.assistant : tokens.tenant
    const requestId = crypto.randomUUID()
    const headers = { 'x-request-id': requestId }
    const { status, body } = await server.request(method, path, { token, headers, ...options })
    expect([200, 201, 202, 204], JSON.stringify(body)).toContain(status)
    const entries = await entriesAfter(before)
    expect(entries.map(({ action }) => action)).toEqual(actions)
    for (const entry of entries) {
      expect(entry).toMatchObject({
        outcome: 'done',
        companyId,
        actor: actor ?? { kind: 'user', userId: server.key.userId },
        clientId: isPublic ? null : server.key.clientId,
        remoteAddress: expect.stringContaining('127.0.0.1') as string,
        requestId,
      })
      expect(entry.targetId).not.toBeNull()
    }
    if (targetId !== undefined) expect(entries[0]?.targetId).toBe(targetId)
    expectNoSecret(entries)
  })
})

/** Every method of the host's administration that changes something, by `group.method`. */
const METHODS: Readonly<Record<string, () => Promise<Expected & { readonly call: () => Promise<unknown> }>>> = {
  'companies.create': async () => ({
    actions: ['company.created', 'account.created', 'account.created', 'account.created'],
    companyId: (await administration.companies.list()).length + 1,
    call: () => administration.companies.create({ name: 'Lovelace Ltd', parentId: 1 }),
  }),
  'companies.move': async () => {
    const { id } = await administration.companies.create({ name: 'Moved', parentId: 1 })
    const { id: parentId } = await administration.companies.create({ name: 'Parent', parentId: 1 })
    return {
      actions: ['company.moved'],
      companyId: id,
      targetId: id,
      call: () => administration.companies.move(id, parentId),
    }
  },
  'accounts.create': async () => ({
    actions: ['account.created'],
    companyId: 1,
    call: () =>
      administration.accounts.create({ companyId: 1, application: 'builder', region: 'eu', name: 'Lovelace' }),
  }),
  'accounts.setActive': async () => {
    const account = { companyId: 1, application: 'builder', region: 'eu', name: 'Lovelace' }
    const { id } = await administration.accounts.create(account)
    return {
      actions: ['account.disabled', 'account.enabled'],
      companyId: 1,
      targetId: id,
      call: async () => {
        await administration.accounts.setActive(id, false)
        await administration.accounts.setActive(id, true)
      },
    }
  },
  'roles.create': async () => ({
    actions: ['role.created'],
    companyId: null,
    call: () =>
      administration.roles.create({ name: 'Lovelace', applications: ['assistant'], capabilities: ['search'] }),
  }),
  'companies.disable': async () => {
    const { id } = await administration.companies.create({ name: 'Lovelace Ltd', parentId: 1 })
    return {
      actions: ['company.disabled'],
      companyId: id,
      targetId: id,
      call: () => administration.companies.disable(id),
    }
  },
  'companies.enable': async () => {
    const { id } = await administration.companies.create({ name: 'Lovelace Ltd', parentId: 1 })
    return {
      actions: ['company.enabled'],
      companyId: id,
      targetId: id,
      call: () => administration.companies.enable(id),
    }
  },
  'companies.delete': async () => {
    const { id } = await administration.companies.create({ name: 'Lovelace Ltd', parentId: 1 })
    await administration.users.add({ email: newEmail(), companyId: id })
    return {
      actions: ['company.deleted'],
      companyId: id,
      targetId: id,
      call: () => administration.companies.delete(id),
    }
  },
  'accounts.delete': async () => {
    const account = { companyId: 1, application: 'builder', region: 'eu', name: 'Lovelace' }
    const { id } = await administration.accounts.create(account)
    return {
      actions: ['account.deleted'],
      companyId: 1,
      targetId: id,
      call: () => administration.accounts.delete(id),
    }
  },
  ...Object.fromEntries(
    (['disable', 'enable', 'delete'] as const).map((verb) => [
      `roles.${verb}`,
      async () => {
        const { id } = await administration.roles.create({
          name: 'Lovelace',
          applications: ['assistant'],
          capabilities: ['search'],
        })
        return {
          actions: [`role.${verb}d`] as AuditAction[],
          companyId: null,
          targetId: id,
          call: (): Promise<unknown> => administration.roles[verb](id),
        }
      },
    ]),
  ),
  'users.disable': async () => {
    const id = await newUser()
    return { actions: ['user.disabled'], companyId: 1, targetId: id, call: () => administration.users.disable(id) }
  },
  'users.enable': async () => {
    const id = await newUser()
    return { actions: ['user.enabled'], companyId: 1, targetId: id, call: () => administration.users.enable(id) }
  },
  'users.delete': async () => {
    const id = await newUser()
    await administration.apiKeys.create({ companyId: 1, userId: id })
    return {
      actions: ['permission.revoked', 'api-key.revoked', 'user.deleted'],
      companyId: 1,
      call: () => administration.users.delete(id),
    }
  },
  'users.add': async () => ({ ...USER, call: newUser }),
  ensureUser: async () => {
    const externalId = newEmail()
    const { user } = await administration.ensureUser({ externalId, companyId: 1, roles: [] })
    return {
      actions: ['user.updated', 'permission.created'],
      companyId: 1,
      targetId: user.id,
      call: () =>
        administration.ensureUser({ externalId, companyId: 1, email: newEmail(), roles: [{ role: 'Reader' }] }),
    }
  },
  'contexts.handOver': async () => {
    const [id, toUserId] = [await newContext(), await newUser()]
    return {
      actions: ['context.handed-over'],
      companyId: 1,
      targetId: id,
      call: () => administration.contexts.handOver(id, { toUserId }),
    }
  },
  'contexts.handOverAll': async () => {
    const [id, toUserId] = [await newLeaver(), await newUser()]
    return {
      actions: ['user.contexts-handed-over', 'context.handed-over'],
      companyId: 1,
      targetId: id,
      call: () => administration.contexts.handOverAll(id, { toUserId }),
    }
  },
  'users.completeSetup': async () => {
    const id = await newUser()
    return {
      actions: ['password.set'],
      companyId: 1,
      targetId: id,
      call: () => administration.users.completeSetup(id, PASSWORD),
    }
  },
  'users.oneTimePassword.begin': async () => {
    const id = await newUser()
    return { actions: ['otp.begun'], companyId: 1, targetId: id, call: () => beginOtp(id) }
  },
  'users.oneTimePassword.confirm': async () => {
    const id = await newUser()
    const secret = await beginOtp(id)
    return { actions: ['otp.enabled'], companyId: 1, targetId: id, call: () => confirmOtp(id, secret) }
  },
  'users.oneTimePassword.renewRecoveryCodes': async () => {
    const id = await newOtpUser()
    return {
      actions: ['otp.recovery-codes-renewed'],
      companyId: 1,
      targetId: id,
      call: async () => {
        secrets.push(...(await administration.users.oneTimePassword.renewRecoveryCodes(id)).recoveryCodes)
      },
    }
  },
  'users.oneTimePassword.disable': async () => {
    const id = await newOtpUser()
    return {
      actions: ['otp.disabled'],
      companyId: 1,
      targetId: id,
      call: () => administration.users.oneTimePassword.disable(id),
    }
  },
  rotateSigningKey: async () => ({
    actions: ['signing-key.rotated'],
    companyId: null,
    targetId: null,
    call: () => administration.rotateSigningKey(),
  }),
  'permissions.grant': async () => {
    const { administratorId: _, ...right } = await newRight()
    return { actions: ['permission.created'], companyId: 1, call: () => administration.permissions.grant(right) }
  },
  'permissions.toggle': async () => {
    const id = await newPermission()
    return {
      actions: ['permission.suspended'],
      companyId: 1,
      targetId: id,
      call: () => administration.permissions.toggle(id),
    }
  },
  'permissions.revoke': async () => {
    const id = await newPermission()
    return {
      actions: ['permission.revoked'],
      companyId: 1,
      targetId: id,
      call: () => administration.permissions.revoke(id),
    }
  },
  'apiKeys.create': async () => ({
    actions: ['user.added', 'permission.created', 'permission.created', 'permission.created', 'api-key.created'],
    companyId: (await administration.companies.create({ name: 'With a key', parentId: 1 })).id,
    call: async () => {
      const companyId = (await administration.companies.list()).at(-1)?.id ?? 0
      secrets.push((await administration.apiKeys.create({ companyId })).clientSecret)
    },
  }),
  'apiKeys.revoke': async () => {
    const { id } = await administration.apiKeys.create({ companyId: 1 })
    return {
      actions: ['api-key.revoked'],
      companyId: 1,
      targetId: id,
      call: () => administration.apiKeys.revoke(id),
    }
  },
  'destinations.create': async () => ({ actions: ['destination.created'], companyId: 1, call: newDestination }),
  'destinations.update': async () => {
    const id = await newDestination()
    return {
      actions: ['destination.updated'],
      companyId: 1,
      targetId: id,
      call: () => administration.destinations.update(id, { url: newUrl(), eventTypes: null }),
    }
  },
  'destinations.delete': async () => {
    const id = await newDestination()
    return {
      actions: ['destination.deleted'],
      companyId: 1,
      targetId: id,
      call: () => administration.destinations.delete(id),
    }
  },
  'destinations.rotateSecret': async () => {
    const id = await newDestination()
    return {
      actions: ['destination.secret-rotated'],
      companyId: 1,
      targetId: id,
      call: () => administration.destinations.rotateSecret(id),
    }
  },
  'destinations.test': async () => {
    const id = await newDestination()
    return {
      actions: ['destination.tested'],
      companyId: 1,
      targetId: id,
      call: () => administration.destinations.test(id),
    }
  },
  'deliveries.resend': async () => {
    const { id } = await administration.destinations.test(await newDestination())
    return { actions: ['delivery.resent'], companyId: 1, call: () => administration.deliveries.resend(id) }
  },
}

/** Methods that change no stored data, with the reason. */
const UNRECORDED_METHODS: Readonly<Record<string, string>> = {
  'audit.entries': 'reads',
  'destinations.entries': 'reads',
  'destinations.page': 'reads',
  reindexAll: 'changes the settings of each context, which is recorded: see the tests of reindexAll',
  startCheck: 'reads',
  'users.find': 'reads',
  'users.principals': 'reads',
  verify: 'compares, and mends what has come apart',
  verifyPassword: 'a login; that one is refused is recorded',
}

/** Methods of an object and of its nested groups, except those whose name says that they only read. */
function changingMethods(): string[] {
  const names = new Set<string>(methodsOf(administration))
  for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(administration))) names.add(name)
  return [...names].filter((name) => !/(^constructor|\.list|\.get)$/.test(name))
}

function methodsOf(group: object): string[] {
  return Object.entries(group).flatMap(([name, member]: [string, unknown]) => {
    if (typeof member === 'function') return [name]
    return typeof member === 'object' && member !== null ? methodsOf(member).map((method) => `${name}.${method}`) : []
  })
}

describe("every method of the host's administration that changes something", () => {
  // A108
  it('has its actions in the table, or a reason why it has none', () => {
    expect([...Object.keys(METHODS), ...Object.keys(UNRECORDED_METHODS)].sort()).toEqual(changingMethods().sort())
  })

  // A108
  it.each(Object.entries(METHODS))('records exactly its audit entries: %s', async (_name, method) => {
    const { actions, companyId, targetId, call } = await method()
    const before = await lastId()
    await call()
    const entries = await entriesAfter(before)
    expect(entries.map(({ action }) => action)).toEqual(actions)
    for (const entry of entries) {
      const host = { kind: 'host', userId: null }
      expect(entry).toMatchObject({ outcome: 'done', companyId, actor: host, clientId: null, remoteAddress: null })
    }
    if (targetId !== undefined) expect(entries[0]?.targetId).toBe(targetId)
    expectNoSecret(entries)
  })
})

describe('an operation that is refused for lack of rights', () => {
  const weak = { assistant: '', tenant: '' }
  let weakId = 0
  let clientId = ''

  beforeAll(async () => {
    weakId = await newUser()
    const isWeaks = ({ userIdentityId }: { readonly userIdentityId: number }): boolean => userIdentityId === weakId
    for (const { id } of (await administration.permissions.list()).filter(isWeaks)) {
      await administration.permissions.revoke(id)
    }
    const role = { name: 'Weak', applications: ['assistant', 'tenant'], capabilities: ['search'] }
    const { id: appRoleId } = await administration.roles.create(role)
    for (const { id: appAccountId, application, customerId } of await administration.accounts.list()) {
      if (customerId !== 1 || (application !== 'assistant' && application !== 'tenant')) continue
      await administration.permissions.grant({ userIdentityId: weakId, appAccountId, appRoleId })
    }
    const key = await administration.apiKeys.create({ companyId: 1, userId: weakId })
    clientId = key.clientId
    for (const target of ['assistant', 'tenant'] as const) weak[target] = await server.token(target, key)
  })

  // A client may always end its own tokens: the refusal of a client is `token.refused` (A94, A110).
  const guarded = Object.entries(ROUTES).filter(([operation]) => !/ \/(?:auth|connect)\//.test(operation))

  // A109
  it.each(guarded)('records one audit entry, and changes nothing: %s', async (operation, prepare) => {
    const [method = '', described = ''] = operation.split(' ')
    const { actions, refusedAs, targetId, path = described, options = {} } = await prepare()
    const before = await lastId()
    const token = described.startsWith('/context') ? weak.assistant : weak.tenant
    const requestId = crypto.randomUUID()
    const { status } = await server.request(method, path, { token, headers: { 'x-request-id': requestId }, ...options })
    expect(status).toBe(403)
    const entries = await entriesAfter(before)
    expect(entries).toMatchObject([
      {
        action: operation === 'PATCH /permission/{permId}' ? 'permission.toggled' : (refusedAs ?? actions[0]),
        outcome: 'refused',
        companyId: 1,
        actor: { kind: 'user', userId: weakId },
        clientId,
        requestId,
        details: { reason: 'ERR_FORBIDDEN' },
      },
    ])
    if (targetId !== undefined && described !== '/context/documents/{contextId}/{docId}') {
      expect(entries[0]?.targetId).toBe(targetId)
    }
    expectNoSecret(entries)
  })
})
