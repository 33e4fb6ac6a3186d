import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemoryStorage } from '../../../adapters/memory/index.js'
import type { Principal, Session } from '../../../src/index.js'
import { DOCUMENT_EVENT_TYPES } from '../../../src/webhooks/index.js'
import { NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'
import { type OutboxEngine, outboxEngine } from './outbox-engine.js'

const ALL_SIGHT = { sight: 'account' } as const
const NAME = 'dismissals.txt'

let opened: OutboxEngine
let contextId: number

beforeEach(async () => {
  opened = await outboxEngine(new MemoryStorage())
  contextId = (await opened.session.contexts.create(NEW_CONTEXT)).id
})

afterEach(async () => {
  await opened.engine.close()
})

/** A session of a new user with these capabilities on the company's account for users and webhooks. */
async function webhookManager(capabilities: readonly string[], extra: Partial<Principal> = {}): Promise<Session> {
  const { administration, owner } = opened.engine
  const { companyId } = owner
  const name = `Role ${crypto.randomUUID()}`
  await administration.roles.create({ name, applications: ['tenant'], capabilities, companyId })
  const roles = [{ application: 'tenant', role: name }]
  const { user } = await administration.ensureUser({ externalId: crypto.randomUUID(), companyId, roles })
  const account = (await administration.accounts.list()).find(
    ({ customerId, application }) => customerId === companyId && application === 'tenant',
  )
  return opened.engine.as({ companyId, userId: user.id, accountId: account?.id ?? 0, ...extra })
}

async function add(session: Pick<Session, 'destinations'>, host: string): Promise<number> {
  const eventTypes = DOCUMENT_EVENT_TYPES
  return (await session.destinations.create({ url: `https://${host}.example.com/`, eventTypes })).id
}

/** The data that receivers got, by the first part of their host. */
function received(): Record<string, Readonly<Record<string, unknown>>[]> {
  const found: Record<string, Readonly<Record<string, unknown>>[]> = {}
  for (const { url, body } of opened.httpTransport.requests) {
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
    const { data } = JSON.parse(text) as { readonly data: Readonly<Record<string, unknown>> }
    const [host = ''] = new URL(url).hostname.split('.')
    found[host] = [...(found[host] ?? []), data]
  }
  return found
}

describe('an event about a document in a private context', () => {
  it('has ids alone for a destination of somebody who does not see all contexts', async () => {
    await add(await webhookManager(['webhook:manage']), 'alone')
    // A sight without the right to read contexts shows none.
    await add(await webhookManager(['webhook:manage'], ALL_SIGHT), 'unread')
    await add(await webhookManager(['webhook:manage', 'context:read']), 'own')
    await add(await webhookManager(['webhook:manage', 'context:read'], ALL_SIGHT), 'all')
    await add(opened.engine.administration, 'host')
    const uuid = await uploadText(opened.session, contextId, NAME, 'Nobody knows this yet.')
    await opened.whenSettled()
    const { id: docId } = await opened.session.documents.get(uuid)
    const ids = { contextId, docId, uuid }
    const full = { ...ids, originalName: NAME, replacement: false, chunks: 1 }
    expect(received()).toEqual({ alone: [ids], unread: [ids], own: [ids], all: [full], host: [full] })
  })

  it('has its names where the context is shared, and none from the moment on at which it is private', async () => {
    const session = await webhookManager(['webhook:manage'])
    await add(session, 'alone')
    await opened.session.contexts.share(contextId, { shareState: 1 })
    await uploadText(opened.session, contextId, NAME, 'Everybody may know this.')
    await opened.whenSettled()
    const [shared] = (await session.deliveries.list()).items
    expect((await session.deliveries.get(shared?.id ?? 0)).payload).toContain(NAME)
    await opened.session.contexts.share(contextId, { shareState: 0 })
    const { payload, attempts } = await session.deliveries.get(shared?.id ?? 0)
    expect(payload).not.toContain(NAME)
    expect(JSON.parse(payload)).toMatchObject({ type: 'document.completed', data: { contextId } })
    expect(attempts.map(({ responseBody }) => responseBody)).toEqual([null])
    // The bytes of then are not sent a second time.
    const again = await session.deliveries.resend(shared?.id ?? 0)
    await opened.whenSettled()
    const cancelled = await session.deliveries.get(again.id)
    expect([cancelled.status, cancelled.error]).toEqual(['cancelled', expect.stringContaining('private context')])
    expect(cancelled.reason).toEqual({ code: 'event-private', parameters: {} })
    expect(received()['alone']).toHaveLength(1)
    await uploadText(opened.session, contextId, `second-${NAME}`, 'Nobody knows this.')
    await opened.whenSettled()
    expect(received()['alone']?.slice(1)).toEqual([{ contextId, docId: 2, uuid: expect.any(String) as string }])
  })

  it('shows no name in the log of deliveries of others to somebody who does not see all contexts', async () => {
    await add(opened.engine.administration, 'host')
    await uploadText(opened.session, contextId, NAME, 'Nobody knows this yet.')
    await opened.whenSettled()
    const alone = await webhookManager(['webhook:manage'])
    const [delivery] = (await alone.deliveries.list()).items
    const id = delivery?.id ?? 0
    expect(JSON.stringify([await alone.deliveries.list(), await alone.deliveries.get(id)])).not.toContain(NAME)
    expect((await opened.engine.administration.deliveries.get(id)).payload).toContain(NAME)
    const all = await webhookManager(['webhook:manage', 'context:read'], ALL_SIGHT)
    expect((await all.deliveries.get(id)).payload).toContain(NAME)
  })

  it('goes with its names to no URL that somebody else has put in the place of the first one', async () => {
    const id = await add(opened.engine.administration, 'host')
    await uploadText(opened.session, contextId, NAME, 'Nobody knows this yet.')
    await opened.whenSettled()
    const alone = await webhookManager(['webhook:manage'])
    const [delivery] = (await alone.deliveries.list()).items
    // A change of anything else leaves the destination as it is.
    await alone.destinations.update(id, {
      url: 'https://host.example.com/',
      eventTypes: DOCUMENT_EVENT_TYPES,
      name: 'x',
    })
    await alone.deliveries.resend(delivery?.id ?? 0)
    await opened.whenSettled()
    expect(received()['host']).toHaveLength(2)
    await alone.destinations.update(id, { url: 'https://alone.example.com/', eventTypes: DOCUMENT_EVENT_TYPES })
    await alone.deliveries.resend(delivery?.id ?? 0)
    const uuid = await uploadText(opened.session, contextId, `second-${NAME}`, 'Nobody knows this.')
    await opened.whenSettled()
    expect(received()['alone']).toEqual([{ contextId, docId: 2, uuid }])
  })

  it('has ids alone from the moment on at which the maker of the destination has lost the right', async () => {
    const { administration, owner } = opened.engine
    const { companyId } = owner
    const key = await administration.apiKeys.create({ companyId, targets: ['tenant'] })
    const account = (await administration.accounts.list()).find(
      ({ customerId, application }) => customerId === companyId && application === 'tenant',
    )
    const ofKey = { companyId, userId: key.userId, accountId: account?.id ?? 0, ...ALL_SIGHT }
    await add(opened.engine.as(ofKey), 'key')
    const person = await webhookManager(['webhook:manage', 'context:read'], ALL_SIGHT)
    await add(person, 'person')
    await administration.apiKeys.revoke(key.id)
    const [right] = (await administration.permissions.list()).filter(
      ({ userIdentityId, appAccountId }) =>
        userIdentityId === person.principal.userId && appAccountId === person.principal.accountId,
    )
    await administration.permissions.toggle(right?.id ?? 0)
    const uuid = await uploadText(opened.session, contextId, NAME, 'Nobody knows this yet.')
    await opened.whenSettled()
    expect(received()).toEqual({ key: [{ contextId, docId: 1, uuid }], person: [{ contextId, docId: 1, uuid }] })
  })
})
