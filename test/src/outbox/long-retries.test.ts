import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemoryClock } from '../../../adapters/memory/index.js'
import type { DestinationInput, DestinationWithSecret } from '../../../src/index.js'
import { DATABASES, type TestDatabase } from './database.js'
import { ManualRelay } from './manual-relay.js'
import { answer, type OutboxEngine, outboxEngine } from './outbox-engine.js'

const HOUR_MS = 3_600_000

describe.each(DATABASES)('a destination that asks for long retries, on $name', ({ open }) => {
  let database: TestDatabase
  let opened: OutboxEngine
  let relay: ManualRelay
  let clock: MemoryClock

  beforeEach(async () => {
    database = await open()
    clock = new MemoryClock()
    opened = await outboxEngine(database.storage(), { clock, roles: [] })
    relay = new ManualRelay(database.storage(), database.knex, clock)
    relay.transport.respond = () => answer(503)
  })

  afterEach(async () => {
    await opened.engine.close()
    await database.dispose()
  })

  async function add(changes: Partial<DestinationInput> = {}): Promise<DestinationWithSecret> {
    const { destinations } = opened.engine.administration
    const url = 'https://hooks.example.com/secret-path?key=hidden'
    return await destinations.create({ url, eventTypes: null, retry: 'long', name: 'Orders', ...changes })
  }

  const shown = async (id = 1) => await opened.engine.administration.destinations.get(id)
  const failures = async () =>
    (await database.knex('alcove_jobs').where('kind', 'deliver-event').pluck('failures')).map(Number)

  // D18
  it('gets eleven attempts, each recorded once, then one mail to those who manage its webhooks', async () => {
    await add()
    await opened.record()
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      await relay.attempt()
      expect(await opened.log()).toMatchObject([{ status: 'pending', attemptCount: attempt }])
      // Ten failures of the engine itself end a delivery: those of a receiver must be none of them.
      expect(await failures()).toEqual([0])
    }
    expect(await relay.mails()).toEqual([])
    const since = (await shown()).failingSince
    clock.advance(24 * HOUR_MS - 60_000)
    await relay.attempt()
    await relay.attempt()
    const [delivery] = await opened.log()
    expect(delivery).toMatchObject({ status: 'failed', attemptCount: 11, error: 'the destination answered 503' })
    expect(delivery?.attempts.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 11 }, () => 'http_error'))
    expect(relay.transport.requests).toHaveLength(11)

    const [mail, ...others] = await relay.mails()
    expect(others).toEqual([])
    expect(mail).toMatchObject({ to: { address: 'owner@localhost' }, subject: 'A webhook destination fails' })
    expect(mail?.text).toContain('The webhook destination 1 (Orders) of')
    expect(mail?.text).toContain('on hooks.example.com, has failed for a day.')
    expect(mail?.text).toContain(`since ${since?.slice(0, 16).replace('T', ' ')} UTC`)
    expect(JSON.stringify(mail)).not.toMatch(/secret-path|hidden|whsec_/)
  })

  // D18
  it('succeeds at a later attempt, and begins a new count of failures', async () => {
    await add()
    await opened.record()
    for (let attempt = 0; attempt < 5; attempt += 1) await relay.attempt()
    expect((await shown()).failingSince).not.toBeNull()
    relay.transport.respond = () => answer(200)
    await relay.attempt()
    expect(await opened.log()).toMatchObject([{ status: 'succeeded', attemptCount: 6, error: null }])
    expect(await shown()).toMatchObject({ failingSince: null, disabled: false })
    clock.advance(25 * HOUR_MS)
    relay.transport.respond = () => answer(503)
    await opened.record()
    await relay.attempt()
    expect(await relay.mails()).toEqual([])
  })

  // D23
  it('gets one mail after a day without a success, however many deliveries fail, and another one after a success', async () => {
    relay.transport.respond = () => answer(401)
    await add()
    const failed = async (events: number): Promise<number> => {
      for (let event = 0; event < events; event += 1) await opened.record(event)
      await relay.attempt()
      return (await relay.mails()).length
    }
    expect(await failed(3)).toBe(0)
    clock.advance(23 * HOUR_MS)
    expect(await failed(1)).toBe(0)
    clock.advance(HOUR_MS)
    expect(await failed(3)).toBe(1)
    clock.advance(48 * HOUR_MS)
    expect(await failed(2)).toBe(0)
    relay.transport.respond = () => answer(204)
    expect(await failed(1)).toBe(0)
    relay.transport.respond = () => answer(401)
    expect(await failed(1)).toBe(0)
    clock.advance(24 * HOUR_MS)
    expect(await failed(1)).toBe(1)
  })

  // D19
  it('is disabled by 410: waiting deliveries are cancelled, new events pass it by, and a mail says so', async () => {
    await add()
    await opened.record(1)
    await relay.attempt()
    relay.transport.respond = ({ body }) => answer(Buffer.from(body).includes('"agentId":2') ? 410 : 503)
    await opened.record(2)
    await relay.attempt()
    expect(await shown()).toMatchObject({ disabled: true, disabledReason: 'gone' })
    const gone = 'the destination answered 410: its URL is gone'
    const reason = { code: 'answered-gone', parameters: { status: 410 } }
    expect((await opened.log())[1]).toMatchObject({
      status: 'failed',
      httpStatus: 410,
      attemptCount: 1,
      error: gone,
      reason,
    })
    await relay.attempt()
    expect((await opened.log())[0]).toMatchObject({ status: 'cancelled', attemptCount: 2 })
    const { engine } = opened
    const { events, administration } = engine
    const event = { type: 'agent.deleted', data: { agentId: 3 }, companyId: 1 } as const
    expect(await events.record(event)).toMatchObject({ deliveries: 0 })
    const refusal = 'the destination 1 is disabled: enable it first'
    await expect(administration.destinations.test(1)).rejects.toThrow(refusal)
    await expect(administration.deliveries.resend(2)).rejects.toThrow(refusal)
    const [mail, ...others] = await relay.mails()
    expect(others).toEqual([])
    expect(mail).toMatchObject({ subject: 'A webhook destination is disabled' })
    expect(mail?.text).toContain('answered 410 (Gone)')
    const { items } = await administration.audit.list({ action: 'destination.disabled' })
    expect(items).toMatchObject([{ actor: { kind: 'system' }, targetId: 1, details: { reason: 'gone' } }])

    const { url } = await shown()
    const enabled = await administration.destinations.update(1, { url, eventTypes: null, disabled: false })
    expect(enabled).toMatchObject({ disabled: false, disabledReason: null, failingSince: null, retry: 'long' })
    relay.transport.respond = () => answer(200)
    await administration.deliveries.resend(2)
    await relay.attempt()
    expect((await opened.log()).at(-1)).toMatchObject({ status: 'succeeded', resendOf: 2 })
  })

  // D19
  it.each([
    ['has another URL', { url: 'https://new.example.com/' }],
    ['was enabled again', { disabled: false }],
    ['asks for standard retries', { retry: 'standard' }],
  ] as const)('is not changed by the answer to an earlier request: it %s', async (_case, changes) => {
    const { url } = await add()
    const { destinations } = opened.engine.administration
    await opened.record()
    relay.transport.respond = async () => {
      clock.advance(1)
      if ('disabled' in changes) await destinations.update(1, { url, eventTypes: null, disabled: true })
      clock.advance(1)
      await destinations.update(1, { url, eventTypes: null, ...changes })
      return answer(410)
    }
    await relay.attempt()
    expect(await opened.log()).toMatchObject([{ status: 'failed', httpStatus: 410 }])
    expect(await shown()).toMatchObject({ disabled: false, failingSince: null, ...changes })
    expect(await relay.mails()).toEqual([])
  })

  // D23
  it('begins a new count of failures with a new URL', async () => {
    await add()
    relay.transport.respond = () => answer(401)
    await opened.record()
    await relay.attempt()
    const { failingSince } = await shown()
    expect(failingSince).not.toBeNull()
    const { destinations } = opened.engine.administration
    const { url } = await shown()
    expect(await destinations.update(1, { url, eventTypes: null, name: 'New' })).toMatchObject({ failingSince })
    const moved = await destinations.update(1, { url: 'https://new.example.com/', eventTypes: null })
    expect(moved).toMatchObject({ failingSince: null })
    clock.advance(24 * HOUR_MS)
    await opened.record()
    await relay.attempt()
    expect(await relay.mails()).toEqual([])
  })

  it('is disabled and enabled by hand, and the audit trail has it', async () => {
    const { destinations, audit } = opened.engine.administration
    const { url } = await add({ disabled: true })
    expect(await shown()).toMatchObject({ disabled: true, disabledReason: 'manual' })
    expect(await opened.record()).toMatchObject({ deliveries: 0 })
    const update = async (disabled: boolean) => await destinations.update(1, { url, eventTypes: null, disabled })
    for (const disabled of [true, false, false, true]) expect(await update(disabled)).toMatchObject({ disabled })
    const { items } = await audit.list()
    const actions = items.map(({ action }) => action).filter((action) => action.endsWith('abled'))
    expect(actions).toEqual(['destination.disabled', 'destination.enabled'])
  })

  // D23
  it('mails the people of the nearest company above, if its own has none, and at most five', async () => {
    const { administration } = opened.engine
    const { companies, users, accounts, roles, permissions, apiKeys } = administration
    const parent = await companies.create({ name: 'Parent', parentId: 1 })
    const child = await companies.create({ name: 'Child', parentId: parent.id })
    // The user of a key is no person, and has no mail.
    await apiKeys.create({ companyId: child.id, targets: ['tenant'] })
    const account = (await accounts.list()).find(
      ({ customerId, application }) => customerId === parent.id && application === 'tenant',
    )
    const administrator = (await roles.list()).find(({ name }) => /admin/i.test(name))
    const other = await roles.create({ name: 'People', applications: ['tenant'], capabilities: ['tenant:manage'] })
    for (let person = 0; person < 7; person += 1) {
      const { id } = await users.add({ email: `p${person}@example.com`, companyId: parent.id })
      const appRoleId = (person === 0 ? other : administrator)?.id ?? 0
      await permissions.grant({ appAccountId: account?.id ?? 0, userIdentityId: id, appRoleId })
    }
    // A user of the host's login may have no address, so no mail can reach the child.
    const wanted = [{ application: 'tenant', role: administrator?.id ?? 0 }]
    await administration.ensureUser({ externalId: 'sub', companyId: child.id, roles: wanted })
    await relay.mails()
    await add({ customerId: child.id })
    relay.transport.respond = () => answer(410)
    await opened.engine.events.record({ type: 'agent.deleted', data: { agentId: 1 }, companyId: child.id })
    await relay.attempt()
    expect((await relay.mails()).map(({ to }) => to.address).toSorted()).toEqual(
      [1, 2, 3, 4, 5].map((person) => `p${person}@example.com`),
    )
  })

  it('mails nobody who has no address any more', async () => {
    await add()
    relay.transport.respond = () => answer(410)
    await opened.record()
    await relay.attempt()
    await database.knex('alcove_users').update({ email: '' })
    expect(await relay.mails()).toEqual([])
  })

  it('does not ask for them by default: 410 and 429 are final, and there is no mail', async () => {
    await add({ retry: 'standard' })
    relay.transport.respond = () => answer(410)
    await opened.record()
    await relay.attempt()
    clock.advance(48 * HOUR_MS)
    relay.transport.respond = () => answer(429)
    await opened.record()
    await relay.attempt()
    relay.transport.respond = () => answer(503)
    await opened.record()
    for (let attempt = 0; attempt < 4; attempt += 1) await relay.attempt()
    expect((await opened.log()).map(({ status, attemptCount }) => [status, attemptCount])).toEqual([
      ['failed', 1],
      ['failed', 1],
      ['failed', 3],
    ])
    expect(await shown()).toMatchObject({ disabled: false, failingSince: null })
    expect(await relay.mails()).toEqual([])
  })
})
