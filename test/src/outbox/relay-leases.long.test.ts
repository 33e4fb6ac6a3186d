import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DELIVER_EVENT } from '../../../src/outbox/index.js'
import { StorageError } from '../../../src/ports/index.js'
import { DATABASES, type TestDatabase } from './database.js'
import { HookedStorage } from './hooked-storage.js'
import { answer } from './outbox-engine.js'
import { RunningRelays, WAIT } from './running-relays.js'

describe.each(DATABASES)('the relay on $name, whose lease ends', ({ open }) => {
  let database: TestDatabase
  let running: RunningRelays

  beforeEach(async () => {
    database = await open()
    running = new RunningRelays(database)
  })

  afterEach(async () => {
    await running.close()
  })

  // O9
  it('learns by its heartbeat that it has lost its lease, and aborts its request', async () => {
    const hanging = await running.startHanging()
    await database.storage().transaction(({ jobs }) => jobs.releaseAll([DELIVER_EVENT]))
    const current = await running.start()
    await current.whenSettled()
    // The heartbeat of the relay comes every third of the lease of 10 s.
    await vi.waitFor(() => expect(hanging.aborted).toBe(1), { timeout: 6_000, interval: 50 })
    expect(await current.log()).toMatchObject([{ attempts: [{ outcome: 'interrupted' }, { outcome: 'success' }] }])
  })

  // O12
  it('sends a delivery a second time after the database was unavailable for longer, and loses none', async () => {
    let isAway = false
    const storage = new HookedStorage(database.storage(), (_call, go) => {
      if (isAway) throw new StorageError('the database is away', { isTransient: true })
      return go()
    })
    const relay = await running.start({ storage })
    await relay.destinations(1)
    relay.httpTransport.respond = () => {
      // Everything fails from here on: the outcome, the release of the job, heartbeats, and polling.
      isAway = relay.httpTransport.requests.length === 1
      return answer(200)
    }
    await relay.record()
    await vi.waitFor(() => expect(isAway).toBe(true), WAIT)
    await new Promise((resolve) => setTimeout(resolve, 11_000))
    expect(relay.telemetry.events.map(({ name }) => name)).toContain('jobs.settle.failed')
    isAway = false
    expect(await relay.whenSettled(20_000)).toMatchObject([
      { status: 'succeeded', attemptCount: 1, attempts: [{ outcome: 'interrupted' }, { outcome: 'success' }] },
    ])
    const [first, second] = relay.httpTransport.requests
    expect(relay.httpTransport.requests).toHaveLength(2)
    expect(second).toEqual(first)
  })
})
