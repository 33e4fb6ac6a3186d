import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryClock, MemoryHttpTransport } from '../../../adapters/memory/index.js'
import { DELIVER_EVENT } from '../../../src/outbox/index.js'
import { StorageError } from '../../../src/ports/index.js'
import { signBody } from '../../../src/webhooks/index.js'
import { sized } from '../../full-form.js'
import { runningTime } from '../../running-time.js'
import { DATABASES, type TestDatabase } from './database.js'
import { HookedStorage } from './hooked-storage.js'
import { answer, HangingTransport, outboxEngine } from './outbox-engine.js'
import { RunningRelays, WAIT } from './running-relays.js'

const DELIVERIES = sized(300, 1_000)

describe.each(DATABASES)('the relay on $name', ({ open }) => {
  let database: TestDatabase
  let running: RunningRelays

  beforeEach(async () => {
    database = await open()
    running = new RunningRelays(database)
  })

  afterEach(async () => {
    await running.close()
  })

  // O6
  it('records nothing when the transaction of the host rolls back, and delivers when it commits', async () => {
    const { knex } = database
    const { KnexStorage } = await import('../../../adapters/knex/index.js')
    const relay = await running.start({ storage: new KnexStorage({ knex, keepKnex: true }) })
    await relay.destinations(1)
    await knex.schema.createTable('runs', (table) => table.text('job'))
    const { engine } = relay
    const event = { type: 'agent.deleted', data: { agentId: 7 }, companyId: engine.owner.companyId } as const
    const failing = knex.transaction(async (transaction) => {
      await transaction('runs').insert({ job: 'one' })
      await engine.events.record(event, { transaction })
      throw new Error('the host changed its mind')
    })
    await expect(failing).rejects.toThrow('changed its mind')
    expect(await relay.log()).toEqual([])
    await knex.transaction(async (transaction) => {
      await transaction('runs').insert({ job: 'two' })
      expect(await engine.events.record(event, { transaction })).toMatchObject({ deliveries: 1 })
      expect(relay.httpTransport.requests).toHaveLength(0)
    })
    expect(await relay.whenSettled()).toMatchObject([{ status: 'succeeded', attemptCount: 1 }])
    expect(await knex('runs').select()).toEqual([{ job: 'two' }])
    expect(relay.httpTransport.requests).toHaveLength(1)
  })

  // O6
  it('undoes an event that is refused, and leaves the rest of the transaction to the host', async () => {
    const { knex } = database
    const { KnexStorage } = await import('../../../adapters/knex/index.js')
    const relay = await running.start({ storage: new KnexStorage({ knex, keepKnex: true }) })
    await relay.destinations(1)
    const { events } = relay.engine
    await knex.transaction(async (transaction) => {
      const refused = events.record({ type: 'agent.deleted', data: { agentId: 1 }, companyId: 999 }, { transaction })
      await expect(refused).rejects.toMatchObject({ code: 'ERR_COMPANY_NOT_FOUND' })
      await events.record({ type: 'agent.deleted', data: { agentId: 2 }, companyId: 1 }, { transaction })
    })
    expect((await relay.whenSettled()).map(({ payload }) => payload)).toEqual([
      expect.stringContaining('"agentId":2') as string,
    ])
  })

  it('records an event in one transaction, without the network', async () => {
    const transactions: (readonly string[])[] = []
    const storage = new HookedStorage(
      database.storage(),
      (_call, go) => go(),
      (calls, moment) => {
        if (moment === 'after-commit') transactions.push(calls)
      },
    )
    const relay = await running.start({ storage, roles: [] })
    await relay.destinations(3)
    transactions.length = 0
    await relay.record()
    expect(transactions).toEqual([['companies.get', 'events.insert', 'deliveries.fanOut', 'jobs.enqueueAll']])
    expect(relay.httpTransport.requests).toEqual([])
  })

  // O7
  it(`shares ${DELIVERIES} deliveries with a second one: each is made once, and none by both`, async () => {
    const [one, two] = [await running.start({ roles: [] }), await running.start({ roles: [] })]
    await one.destinations(10)
    for (let event = 0; event < DELIVERIES / 10; event += 1) await one.record(event)
    await Promise.all([one, two].map(({ engine }) => engine.close()))
    const held = new HangingTransport()
    const relays = [
      await running.start({ roles: ['relay'], httpTransport: held }),
      await running.start({ roles: ['relay'] }),
    ] as const
    // Otherwise the first one may make all of them before the second one looks for jobs.
    await vi.waitFor(() => expect(relays[1].httpTransport.requests.length).toBeGreaterThan(0), WAIT)
    held.respond = async () => await Promise.resolve(answer(200))
    held.letGo()
    const log = await relays[0].whenSettled(60_000)
    expect(log).toHaveLength(DELIVERIES)
    expect(new Set(log.map(({ status, attempts }) => `${status} ${attempts.length}`))).toEqual(new Set(['succeeded 1']))
    const sent = relays.flatMap(({ httpTransport }) => httpTransport.requests)
    expect(sent).toHaveLength(DELIVERIES)
    for (const { httpTransport } of relays) expect(httpTransport.requests.length).toBeGreaterThan(0)
  })

  // O8
  it('ignores the records of a stale owner', async () => {
    const hanging = await running.startHanging()
    const current = await running.start()
    // The lease ends as if it had expired without a heartbeat.
    await database.storage().transaction(({ jobs }) => jobs.releaseAll([DELIVER_EVENT]))
    await vi.waitFor(() => expect(current.httpTransport.requests).toHaveLength(1), WAIT)
    await current.whenSettled()
    hanging.letGo(answer(500))
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(await current.log()).toMatchObject([
      {
        status: 'succeeded',
        httpStatus: 200,
        attemptCount: 1,
        attempts: [{ outcome: 'interrupted' }, { outcome: 'success' }],
      },
    ])
  })

  // O9
  it('ignores a heartbeat of a worker that lost the lease', async () => {
    const relay = await running.start({ roles: [] })
    await relay.destinations(1)
    await relay.record()
    const storage = database.storage()
    const claim = async () =>
      (await storage.transaction(({ jobs }) => jobs.claim({ kinds: [DELIVER_EVENT], leaseMs: 60_000 })))[0]
    const first = await claim()
    await storage.transaction(({ jobs }) => jobs.releaseAll([DELIVER_EVENT]))
    const second = await claim()
    if (first === undefined || second === undefined) throw new Error('nothing was claimed')
    await storage.transaction(({ jobs }) => jobs.extend(second, 50))
    expect(await storage.transaction(({ jobs }) => jobs.extend(first, 60_000))).toBe(false)
    const [waiting] = await storage.read(({ jobs }) => jobs.waiting([DELIVER_EVENT]))
    expect(waiting?.dueInMs).toBeLessThanOrEqual(50)
  })

  // D12
  it('signs and sends a delivery by the current secret and URL, however late they changed', async () => {
    let release: (() => void) | undefined
    const storage = new HookedStorage(database.storage(), async (call, go) => {
      // The test imitates a relay that is slow between reading the destination and starting the attempt.
      if (call === 'deliveries.getSendable' && release === undefined) {
        const found = await go()
        await new Promise<void>((resolve) => {
          release = resolve
        })
        return found
      }
      return await go()
    })
    const relay = await running.start({ storage })
    const [destination] = await relay.destinations(1)
    const { destinations } = relay.engine.administration
    await relay.record()
    await vi.waitFor(() => expect(release).toBeDefined(), WAIT)
    await destinations.update(destination?.id ?? 0, { url: 'https://new.example.com/', eventTypes: null })
    const { secret } = await destinations.rotateSecret(destination?.id ?? 0)
    release?.()
    await relay.whenSettled()
    const [request, ...more] = relay.httpTransport.requests
    expect(more).toEqual([])
    expect(request?.url).toBe('https://new.example.com/')
    expect(request?.headers['x-service-signature']).toBe(await signBody(request?.body ?? new Uint8Array(), secret))
  })

  // O10
  it('also delivers an event with a lower id that is committed later', async () => {
    const relay = await running.start()
    await relay.destinations(1)
    const { knex } = database
    const { KnexStorage } = await import('../../../adapters/knex/index.js')
    const late = await running.start({ storage: new KnexStorage({ knex, keepKnex: true }), roles: [] })
    const transaction = await knex.transaction()
    await late.engine.events.record({ type: 'agent.deleted', data: { agentId: 1 }, companyId: 1 }, { transaction })
    // On SQLite the second transaction waits for the first; elsewhere it is committed before the first.
    const second = relay.record(2)
    await new Promise((resolve) => setTimeout(resolve, 600))
    await transaction.commit()
    await second
    await vi.waitFor(async () => expect(await relay.log()).toHaveLength(2), WAIT)
    expect((await relay.whenSettled()).map(({ status }) => status)).toEqual(['succeeded', 'succeeded'])
  })

  // O11
  it.each([-3_600_000, 3_600_000])('neither steals nor stalls with a clock that is off by %d ms', async (offMs) => {
    const hanging = new HangingTransport()
    const right = await running.start({ httpTransport: hanging })
    await right.destinations(1)
    await right.record()
    await vi.waitFor(() => expect(hanging.hanging).toBe(1), WAIT)
    const off = await running.start({ clock: new MemoryClock(new Date(Date.now() + offMs)) })
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(off.httpTransport.requests).toHaveLength(0)
    hanging.letGo()
    await right.whenSettled()
    const began = performance.now()
    await right.engine.close()
    await off.record(2)
    const log = await off.whenSettled()
    expect(performance.now() - began).toBeLessThan(5_000)
    expect(log.map(({ status }) => status)).toEqual(['succeeded', 'succeeded'])
  })

  // O12
  it('records an outcome when a database that was briefly unavailable returns, and does not send it a second time', async () => {
    let outcomesToLose = 3
    const storage = new HookedStorage(database.storage(), (call, go) => {
      if (call !== 'deliveries.endAttempts' || outcomesToLose === 0) return go()
      outcomesToLose -= 1
      throw new StorageError('the database is away', { isTransient: true })
    })
    const relay = await running.start({ storage })
    await relay.destinations(1)
    await relay.record()
    expect(await relay.whenSettled()).toMatchObject([{ status: 'succeeded', attempts: [{ outcome: 'success' }] }])
    expect(outcomesToLose).toBe(0)
    expect(relay.httpTransport.requests).toHaveLength(1)
  })

  // O13
  it('fails deliveries with a damaged payload or a damaged secret; their neighbours arrive', async () => {
    const idle = await running.start({ roles: [] })
    const [, broken] = await idle.destinations(3)
    await idle.record(1)
    await idle.record(2)
    await database
      .knex('alcove_events')
      .where('id', 1)
      .update({ payload: Buffer.from('{"id":"evt_other"}') })
    await database.knex('alcove_destinations').where('id', broken?.id).update({ sealed_secret: 'v1:AAAA' })
    await idle.engine.close()
    const relay = await running.start()
    const log = await relay.whenSettled()
    expect(log.map(({ status, error }) => [status, error?.match(/ERR_\w+/)?.[0]])).toEqual([
      ['dead', 'ERR_PAYLOAD_CORRUPT'],
      ['dead', 'ERR_PAYLOAD_CORRUPT'],
      ['dead', 'ERR_PAYLOAD_CORRUPT'],
      ['succeeded', undefined],
      ['dead', 'ERR_SECRET_UNREADABLE'],
      ['succeeded', undefined],
    ])
    expect(relay.httpTransport.requests).toHaveLength(2)
    const { administration } = relay.engine
    await administration.destinations.rotateSecret(broken?.id ?? 0)
    await administration.deliveries.resend(5)
    expect((await relay.whenSettled())[6]).toMatchObject({ status: 'succeeded', resendOf: 5 })
  })

  // O13
  it('refuses to start with another encryption key, and changes nothing', async () => {
    const relay = await running.start()
    await relay.destinations(1)
    await relay.engine.close()
    const other = outboxEngine(database.storage(), { secretKey: new Uint8Array(32).fill(9) })
    await expect(other).rejects.toMatchObject({ code: 'ERR_SECRET_KEY' })
    await expect(outboxEngine(database.storage(), { secretKey: new Uint8Array(16) })).rejects.toMatchObject({
      code: 'ERR_SECRET_KEY',
    })
    const restarted = await running.start()
    await restarted.record()
    expect(await restarted.whenSettled()).toMatchObject([{ status: 'succeeded' }])
  })

  // O14
  it('cancels waiting deliveries when their destination is deleted, and sends nothing', async () => {
    const idle = await running.start({ roles: [] })
    const [gone] = await idle.destinations(2)
    await idle.record()
    await idle.engine.administration.destinations.delete(gone?.id ?? 0)
    await idle.engine.close()
    const relay = await running.start()
    const log = await relay.whenSettled()
    expect(log.map(({ status, attemptCount }) => [status, attemptCount])).toEqual([
      ['cancelled', 0],
      ['succeeded', 1],
    ])
    expect(relay.httpTransport.requests.map(({ url }) => url)).toEqual(['https://hook-1.example.com/'])
    const waiting = await database.storage().read(({ jobs }) => jobs.waiting([DELIVER_EVENT]))
    expect(waiting).toEqual([])
    await expect(relay.engine.administration.deliveries.resend(1)).rejects.toMatchObject({
      code: 'ERR_DESTINATION_NOT_FOUND',
    })
  })

  // O14
  it('aborts a request in progress when its destination is deleted, and logs that', async () => {
    const hanging = new HangingTransport()
    const relay = await running.start({ httpTransport: hanging })
    const [destination] = await relay.destinations(1)
    await relay.record()
    await vi.waitFor(() => expect(hanging.hanging).toBe(1), WAIT)
    await relay.engine.administration.destinations.delete(destination?.id ?? 0)
    hanging.letGo()
    expect(await relay.whenSettled()).toMatchObject([{ status: 'cancelled', attempts: [{ outcome: 'interrupted' }] }])
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(hanging.requests).toHaveLength(1)
  })

  // O15
  it('claims nothing new while it closes; it records requests that end soon, and releases those that hang at once', async () => {
    const hanging = new HangingTransport()
    const relay = await running.start({ httpTransport: hanging })
    await relay.destinations(2)
    let close: (value: unknown) => void = () => undefined
    const closing = new Promise((resolve) => {
      close = resolve
    })
    hanging.respond = async ({ url }) => {
      const isSlow = url.includes('hook-1')
      if (!isSlow) await closing
      await new Promise((resolve) => setTimeout(resolve, isSlow ? 60_000 : 400))
      return answer(200)
    }
    for (let event = 0; event < 20; event += 1) await relay.record(event)
    // Eight requests of each destination are in progress, and 24 wait.
    await vi.waitFor(() => expect(hanging.requests).toHaveLength(16), WAIT)
    const ranMs = runningTime()
    close(undefined)
    await relay.engine.close()
    expect(ranMs()).toBeLessThan(3_500)
    expect(hanging.requests).toHaveLength(16)
    const next = await running.start()
    const log = await next.whenSettled(5_000)
    const outcomes = log.map(({ attempts }) => attempts.map(({ outcome }) => outcome).join())
    expect(log.every(({ status }) => status === 'succeeded')).toBe(true)
    expect(outcomes.filter((each) => each === 'interrupted,success')).toHaveLength(8)
    expect(outcomes.filter((each) => each === 'success')).toHaveLength(32)
    expect(next.httpTransport.requests).toHaveLength(32)
  })

  // O16
  it('retries five destinations that fail together independently of each other', async () => {
    const transport = new MemoryHttpTransport()
    const times = new Map<string, number[]>()
    const runMs = new Map<string, number[]>()
    const ranMs = runningTime()
    transport.respond = ({ url }) => {
      times.set(url, [...(times.get(url) ?? []), performance.now()])
      runMs.set(url, [...(runMs.get(url) ?? []), ranMs()])
      return answer(503)
    }
    const relay = await running.start({ httpTransport: transport })
    await relay.destinations(5)
    await relay.record()
    const log = await relay.whenSettled()
    expect(log.map(({ status, attemptCount, httpStatus }) => [status, attemptCount, httpStatus])).toEqual(
      Array.from({ length: 5 }, () => ['failed', 3, 503]),
    )
    for (const [first = 0, second = 0, third = 0, ...more] of times.values()) {
      expect(more).toEqual([])
      // 0.5 s and 2 s, each 15 % less or more.
      expect(second - first).toBeGreaterThan(420)
      expect(third - second).toBeGreaterThan(1_690)
    }
    for (const [first = 0, second = 0, third = 0] of runMs.values()) {
      expect(second - first).toBeLessThan(1_200)
      expect(third - second).toBeLessThan(3_000)
    }
    const [spread] = [...times.values()].map(([first = 0, second = 0]) => second - first)
    expect([...times.values()].some(([first = 0, second = 0]) => Math.abs(second - first - (spread ?? 0)) > 1)).toBe(
      true,
    )
  })

  it('removes old deliveries from the log, and no younger ones', async () => {
    const clock = new MemoryClock(new Date())
    const relay = await running.start({ clock })
    await relay.destinations(2)
    await relay.record(1)
    await relay.whenSettled()
    await relay.engine.close()
    clock.advance(8 * 86_400_000)
    // A delivery due in an hour, by the clock of the database, is due now.
    await database.knex('alcove_jobs').where('kind', 'trim-deliveries').update({ due_ms: 0 })
    const week = await running.start({ clock, deliveryRetentionDays: 7 })
    await week.record(2)
    await vi.waitFor(async () => expect(await week.log()).toHaveLength(2), WAIT)
    expect((await week.whenSettled()).every(({ payload }) => payload.includes('"agentId":2'))).toBe(true)
    expect(await database.knex('alcove_events').select('id')).toHaveLength(1)
    expect(await database.knex('alcove_attempts').select('id')).toHaveLength(2)
  })
})
