import assert from 'node:assert/strict'
import type {
  DeliveryRecord,
  DestinationRecord,
  EventRecord,
  NewAttempt,
  Repositories,
  Storage,
} from '../../../src/ports/index.js'
import { type DefineTest, rejectsWith } from '../harness.js'
import { LATER, NOW, PLAIN_DESTINATION, seedCompany } from './storage-seed.js'

const URL = 'https://hooks.example.com/in'
const DESTINATION = { url: URL, sealedSecret: 'v1:sealed', signatureScheme: 'service' } as const
const REASON = { code: 'answered', parameters: { status: 503, name: 'é' } } as const
const PAYLOAD = new Uint8Array([0, 10, 13, 0x7b, 0xff, 0xc3, 0xa9])

/** Tests of destinations, events and deliveries. */
export function defineOutboxTests(test: DefineTest<Storage>): void {
  test('stores every member of a destination', async (storage) => {
    const { inserted, found } = await storage.transaction(async (repositories) => {
      const { companyId } = await seedCompany(repositories)
      const destination = await repositories.destinations.insert(
        destinationOf(companyId, { eventTypes: ['run.failed'] }),
      )
      return { inserted: destination, found: await repositories.destinations.get(destination.id) }
    })
    assert.deepEqual(found, inserted)
    assert.deepEqual(found.eventTypes, ['run.failed'])
    assert.equal(found.name, null)
  })

  test('allows one destination for each company and URL until it is removed', async (storage) => {
    const [first, second] = await storage.transaction(async (repositories) => [
      await seedCompany(repositories, 'First'),
      await seedCompany(repositories, 'Second'),
    ])
    const insert = async (companyId: number, url = URL): Promise<DestinationRecord> =>
      storage.transaction(({ destinations }) => destinations.insert(destinationOf(companyId, { url })))
    const destination = await insert(first.companyId)
    await insert(second.companyId)
    const other = await insert(first.companyId, `${URL}/other`)
    await rejectsWith('ERR_ALREADY_EXISTS', insert(first.companyId), {
      code: 'destination-url-taken',
      parameters: {},
    })
    await rejectsWith(
      'ERR_ALREADY_EXISTS',
      storage.transaction(({ destinations }) => destinations.update(other.id, { url: URL })),
    )
    const removed = await storage.transaction(({ destinations }) => destinations.remove(destination.id, LATER))
    assert.equal(removed, true)
    assert.notEqual((await insert(first.companyId)).id, destination.id)
  })

  test('lists the destinations of one company or of all, without removed ones', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { destinations } = repositories
      const first = await seedCompany(repositories, 'First')
      const second = await seedCompany(repositories, 'Second')
      const ids = []
      for (const companyId of [first.companyId, second.companyId, first.companyId]) {
        ids.push((await destinations.insert(destinationOf(companyId, { url: `${URL}/${ids.length}` }))).id)
      }
      assert.equal(await destinations.remove(ids[2] ?? 0, LATER), true)
      assert.equal(await destinations.remove(ids[2] ?? 0, LATER), false)
      assert.equal(await destinations.update(ids[2] ?? 0, { name: 'x' }), false)
      assert.equal(await destinations.get(ids[2] ?? 0), undefined)
      const listed = async (filter?: { companyId: number }) => (await destinations.list(filter)).map(({ id }) => id)
      assert.deepEqual(await listed(), ids.slice(0, 2))
      assert.deepEqual(await listed({ companyId: first.companyId }), ids.slice(0, 1))
    })
  })

  test('fans out an event to subscribed destinations of the company, and of ancestors that include descendants', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { companies, destinations, events, deliveries } = repositories
      const { companyId: root } = await seedCompany(repositories)
      const child = (await companies.insert({ name: 'Child', parentId: root, created: NOW })).id
      const grandchild = (await companies.insert({ name: 'Grandchild', parentId: child, created: NOW })).id
      const sibling = (await companies.insert({ name: 'Sibling', parentId: root, created: NOW })).id
      const names = new Map<number, string>()
      const add = async (name: string, companyId: number, changes: Partial<DestinationRecord> = {}): Promise<void> => {
        const { id } = await destinations.insert(destinationOf(companyId, { url: `${URL}/${name}`, ...changes }))
        names.set(id, name)
      }
      await add('root', root)
      await add('rootDown', root, { includeDescendants: true })
      await add('rootDownRuns', root, { includeDescendants: true, eventTypes: ['run.started'] })
      await add('childDown', child, { includeDescendants: true })
      await add('grandchildAgents', grandchild, { eventTypes: ['agent.created', 'agent.deleted'] })
      await add('siblingDown', sibling, { includeDescendants: true })
      let event = 0
      const subscribed = async (companyId: number, type: string) => {
        event += 1
        const inserted = await events.insert(eventOf(companyId, { eventId: `evt_${event}`, type }))
        const traceparent = event % 2 === 0 ? TRACEPARENT : null
        const fanned = await deliveries.fanOut({ ...inserted, traceparent }, { isNamedOnly: false })
        for (const { id, destinationId, companyId: of } of fanned) {
          const expected = { eventRow: inserted.id, eventId: inserted.eventId, type, destinationId, companyId: of }
          assert.deepEqual(await deliveries.get(id), { ...PENDING, ...expected, id, traceparent })
        }
        return fanned.map(({ destinationId }) => names.get(destinationId))
      }
      assert.deepEqual(await subscribed(root, 'agent.created'), ['root', 'rootDown'])
      assert.deepEqual(await subscribed(root, 'run.started'), ['root', 'rootDown', 'rootDownRuns'])
      assert.deepEqual(await subscribed(child, 'agent.created'), ['rootDown', 'childDown'])
      assert.deepEqual(await subscribed(grandchild, 'agent.created'), ['rootDown', 'childDown', 'grandchildAgents'])
      assert.deepEqual(await subscribed(grandchild, 'run.started'), ['rootDown', 'rootDownRuns', 'childDown'])
    })
  })

  // N3
  test('sends the events of companies in or below a cycle to no other company', async (storage) => {
    const { companies, outside } = await storage.transaction(async (repositories) => {
      const { companyId: outer } = await seedCompany(repositories)
      const add = async (parentId: number) =>
        (await repositories.companies.insert({ name: 'Company', parentId, created: NOW })).id
      const above = await add(outer)
      const middle = await add(above)
      const below = await add(middle)
      const under = await add(below)
      const destinationIds = new Map<number, number>()
      for (const companyId of [outer, above, middle, below, under]) {
        const destination = destinationOf(companyId, { includeDescendants: true })
        destinationIds.set(companyId, (await repositories.destinations.insert(destination)).id)
      }
      await repositories.companies.setParent(above, below)
      for (const companyId of [above, middle, below, under]) {
        const event = await repositories.events.insert(eventOf(companyId, { eventId: `evt_${companyId}` }))
        const fanned = await repositories.deliveries.fanOut(event, { isNamedOnly: false })
        assert.deepEqual(
          fanned.map(({ destinationId }) => destinationId),
          [destinationIds.get(companyId)],
        )
      }
      return { companies: [above, middle, below, under], outside: outer }
    })
    await storage.read(async ({ deliveries }) => {
      for (const withinCompanyId of [...companies, outside])
        assert.deepEqual(await deliveries.list({ withinCompanyId, limit: 9 }), [])
      assert.equal((await deliveries.list({ limit: 9 })).length, 4)
    })
  })

  test('keeps who set the URL of a destination, and what they see', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { destinations, events, deliveries } = repositories
      const { companyId, userId } = await seedCompany(repositories)
      const { id } = await destinations.insert(destinationOf(companyId, { sight: 'account', makerId: userId }))
      const event = await events.insert(eventOf(companyId, { eventId: 'evt_made', type: 'run.failed' }))
      const [delivery] = await deliveries.fanOut(event, { isNamedOnly: false })
      const sentTo = async () => (await deliveries.getSendable([delivery?.id ?? 0])).get(delivery?.id ?? 0)?.destination
      const found = [await destinations.get(id), await sentTo()]
      assert.deepEqual(
        found.map((made) => [made?.sight, made?.makerId, made?.companyId]),
        [1, 2].map(() => ['account', userId, companyId]),
      )
      await destinations.update(id, { sight: 'user', makerId: null })
      const changed = [await destinations.get(id), await sentTo()]
      assert.deepEqual(
        changed.map((made) => [made?.sight ?? 'user', made?.makerId ?? null]),
        [1, 2].map(() => ['user', null]),
      )
    })
  })

  test('sends types that must be named only to enabled destinations that name exactly them', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { destinations, events, deliveries } = repositories
      const { companyId } = await seedCompany(repositories)
      const add = async (name: string, changes: Partial<DestinationRecord>): Promise<number> =>
        (await destinations.insert(destinationOf(companyId, { url: `${URL}/${name}`, ...changes }))).id
      await add('all', {})
      const named = await add('named', { eventTypes: ['run.failed', 'order_line.created', 'document.failed'] })
      await add('other', { eventTypes: ['order-line.created', 'order.line.created', 'order_line.created2'] })
      const off = await add('off', { eventTypes: ['order_line.created', 'document.deleted'], disabledReason: 'manual' })
      const sentTo = async (type: string, isNamedOnly: boolean) => {
        const event = await events.insert(eventOf(companyId, { eventId: `evt_${type}_${isNamedOnly}`, type }))
        return (await deliveries.fanOut(event, { isNamedOnly })).map(({ destinationId }) => destinationId)
      }
      assert.deepEqual(await sentTo('order_line.created', true), [named])
      assert.deepEqual(await sentTo('run.failed', true), [named])
      assert.deepEqual(await sentTo('document.completed', true), [])
      const isNamed = async (type: string) => await destinations.isNamed(type)
      assert.deepEqual(
        await Promise.all(['document.failed', 'order_line.created', 'document.completed'].map(isNamed)),
        [true, true, false],
      )
      assert.equal(await isNamed('document.deleted'), false, 'a disabled destination names nothing')
      await isNamedFor(repositories, companyId, named)
      const naming = async (type: string) => (await destinations.listNaming(type, companyId)).map(({ id }) => id)
      assert.deepEqual(await naming('document.failed'), [named])
      assert.deepEqual(await naming('document.deleted'), [], 'a disabled destination names nothing')
      const chosen = await events.insert(eventOf(companyId, { eventId: 'evt_chosen', type: 'run.failed' }))
      const options = { isNamedOnly: false, destinationIds: [named, off] }
      const fanned = await deliveries.fanOut(chosen, options)
      assert.deepEqual(
        fanned.map(({ destinationId }) => destinationId),
        [named],
      )
      await destinations.update(off, { disabledReason: null })
      assert.equal(await isNamed('document.deleted'), true)
      await destinations.update(named, { eventTypes: null })
      assert.equal(await isNamed('document.failed'), false)
      await destinations.remove(off, LATER)
      assert.equal(await isNamed('document.deleted'), false)
    })
  })

  test('leaves out deliveries of a disabled destination, and begins no attempt at them', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { destinations, deliveries } = repositories
      const { companyId } = await seedCompany(repositories)
      const [delivery] = await seedDeliveries(repositories, companyId, 1)
      assert.ok(delivery)
      const found = (await deliveries.getSendable([delivery.id])).get(delivery.id)
      const { retry, failingSince, previousSealedSecret } = found?.destination ?? {}
      assert.deepEqual([retry, failingSince, previousSealedSecret], ['standard', null, null])
      await destinations.update(delivery.destinationId, { disabledReason: 'gone' })
      assert.equal((await deliveries.getSendable([delivery.id])).size, 0)
      const attempt = { deliveryId: delivery.id, started: NOW, destination: DESTINATION }
      assert.equal((await deliveries.insertAttempts([attempt])).size, 0)
    })
  })

  test('sets the state of failures once, and removes secrets that have expired', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { destinations } = repositories
      const { companyId } = await seedCompany(repositories)
      const secret = { previousSealedSecret: 'v1:old', previousSecretExpires: LATER }
      const { id } = await destinations.insert(destinationOf(companyId, { retry: 'long', ...secret }))
      assert.equal(await destinations.setIfNull(id, 'failingSince', NOW), true)
      assert.equal(await destinations.setIfNull(id, 'failingSince', LATER), false)
      assert.equal(await destinations.setIfNull(id, 'failureReported', LATER), true)
      assert.equal(await destinations.setIfNull(id, 'disabledReason', 'gone'), true)
      assert.equal(await destinations.setIfNull(id, 'disabledReason', 'manual'), false)
      assert.equal(await destinations.setIfNull(id + 1, 'failingSince', NOW), false)
      const expected = { retry: 'long', failingSince: NOW, failureReported: LATER, disabledReason: 'gone' } as const
      assert.deepEqual(await destinations.get(id), { ...destinationOf(companyId), ...expected, ...secret, id })
      assert.equal(await destinations.removeExpiredSecrets({ now: NOW, limit: 9 }), 0)
      assert.equal(await destinations.removeExpiredSecrets({ now: LATER, limit: 9 }), 1)
      const { previousSealedSecret, previousSecretExpires } = (await destinations.get(id)) ?? {}
      assert.deepEqual([previousSealedSecret, previousSecretExpires], [null, null])
    })
  })

  test('stores the bytes of an event unchanged', async (storage) => {
    const event = await storage.transaction(async (repositories) => {
      const { companyId } = await seedCompany(repositories)
      return await repositories.events.insert(eventOf(companyId))
    })
    const found = await storage.read(({ events }) => events.get(event.id))
    assert.deepEqual(found, { ...eventOf(event.companyId), id: event.id })
    assert.deepEqual([...found.payload], [...PAYLOAD])
  })

  test('keeps deliveries in order and lists them by filters, the newest first', async (storage) => {
    const { root, child, records } = await storage.transaction(async (repositories) => {
      const { companyId: top } = await seedCompany(repositories)
      const below = (await repositories.companies.insert({ name: 'Child', parentId: top, created: NOW })).id
      const ofTop = await seedDeliveries(repositories, top, 250)
      const ofBelow = await seedDeliveries(repositories, below, 2, { status: 'failed', type: 'run.failed' })
      return { root: top, child: below, records: [...ofTop, ...ofBelow] }
    })
    const ids = records.map(({ id }) => id)
    assert.deepEqual(
      ids,
      ids.toSorted((one, other) => one - other),
    )
    await storage.read(async ({ deliveries }) => {
      assert.deepEqual(await deliveries.get(ids[249] ?? 0), records[249])
      const list = async (filter: object) =>
        (await deliveries.list({ limit: 1_000, ...filter })).map(({ id }) => id).reverse()
      assert.deepEqual(await list({}), ids)
      assert.deepEqual(await list({ limit: 3 }), ids.slice(-3))
      assert.deepEqual(await list({ limit: 2, beforeId: ids[9] }), ids.slice(7, 9))
      assert.deepEqual(await list({ withinCompanyId: root }), ids)
      assert.deepEqual(await list({ withinCompanyId: child }), ids.slice(-2))
      assert.deepEqual(await list({ status: 'failed' }), ids.slice(-2))
      assert.deepEqual(await list({ type: 'agent.created' }), ids.slice(0, -2))
      assert.deepEqual(await list({ destinationId: records[0]?.destinationId }), ids.slice(0, -2))
    })
  })

  test('records attempts and marks unfinished ones as interrupted', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { companyId } = await seedCompany(repositories)
      const [delivery] = await seedDeliveries(repositories, companyId, 1)
      assert.ok(delivery)
      const { deliveries } = repositories
      const begin = async (
        started: string,
        destination: NewAttempt['destination'] = DESTINATION,
      ): Promise<number | undefined> =>
        (await deliveries.insertAttempts([{ deliveryId: delivery.id, started, destination }])).get(delivery.id)
      const first = await begin(NOW)
      const end = { httpStatus: 503, error: 'no', reason: REASON, responseBody: 'é\uFFFD', durationMs: 12 } as const
      assert.ok(first !== undefined)
      await deliveries.endAttempts([{ id: first, outcome: 'http_error', ...end }])
      await begin(LATER)
      assert.equal((await deliveries.listAttempts(delivery.id))[1]?.outcome, null)
      assert.equal(await begin(LATER), undefined, 'one attempt at a time')
      await deliveries.interruptAttempts([delivery.id])
      assert.deepEqual(
        (await deliveries.listAttempts(delivery.id)).map(({ id: _id, ...attempt }) => attempt),
        [
          { deliveryId: delivery.id, started: NOW, outcome: 'http_error', ...end },
          {
            deliveryId: delivery.id,
            started: LATER,
            outcome: 'interrupted',
            httpStatus: null,
            error: null,
            reason: null,
            responseBody: null,
            durationMs: null,
          },
        ],
      )
      const otherScheme = { signatureScheme: 'standard' } as const
      for (const changed of [{ url: `${URL}/else` }, { sealedSecret: 'v1:other' }, otherScheme]) {
        const other = { ...DESTINATION, ...changed }
        assert.equal(await begin(LATER, other), undefined)
      }
      assert.equal(await deliveries.update(delivery.id, { status: 'succeeded', httpStatus: 200, error: null }), true)
      assert.deepEqual(await deliveries.get(delivery.id), { ...delivery, status: 'succeeded', httpStatus: 200 })
      assert.equal(await deliveries.update(delivery.id + 1, { status: 'dead' }), false)
      const state = {
        status: 'failed',
        httpStatus: 404,
        attemptCount: 1,
        error: 'é',
        reason: REASON,
        updated: LATER,
      } as const
      await deliveries.updateAll([{ id: delivery.id, ...state, httpStatus: null }])
      await deliveries.updateAll([{ id: delivery.id, ...state }])
      assert.deepEqual(await deliveries.get(delivery.id), { ...delivery, ...state })
    })
  })

  test('cancels the open deliveries of a list or of a destination', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { companyId } = await seedCompany(repositories)
      const { companyId: other } = await seedCompany(repositories, 'Other')
      const records = await seedDeliveries(repositories, companyId, 6)
      const [elsewhere] = await seedDeliveries(repositories, other, 1)
      const { deliveries } = repositories
      const [one = 0, two = 0, three = 0, four = 0, five = 0, six = 0] = records.map(({ id }) => id)
      await deliveries.update(two, { status: 'succeeded', error: null })
      await deliveries.update(three, { status: 'delivering' })
      await deliveries.update(five, { status: 'failed', error: 'no' })
      await deliveries.update(six, { status: 'delivering' })
      const statuses = async () => (await deliveries.list({ limit: 9 })).map(({ status }) => status).reverse()
      await deliveries.cancelAll([two, three, five], { error: 'gone', reason: REASON, updated: LATER })
      const first = ['pending', 'succeeded', 'cancelled', 'pending', 'failed', 'delivering', 'pending']
      assert.deepEqual(await statuses(), first)
      const destinationId = records[0]?.destinationId ?? 0
      assert.deepEqual(await deliveries.cancelOpen(destinationId, { error: 'closed', reason: null, updated: LATER }), [
        six,
      ])
      const then = ['cancelled', 'succeeded', 'cancelled', 'cancelled', 'failed', 'cancelled', 'pending']
      assert.deepEqual(await statuses(), then)
      assert.deepEqual(await deliveries.cancelOpen(destinationId, { error: 'again', reason: null, updated: LATER }), [])
      const errors = await Promise.all([one, two, three, four, five].map(async (id) => await deliveries.get(id)))
      assert.deepEqual(
        errors.map((delivery) => [delivery?.error, delivery?.reason]),
        [
          ['closed', null],
          [null, null],
          ['gone', REASON],
          ['closed', null],
          ['no', null],
        ],
      )
      assert.equal(errors[0]?.updated, LATER)
      assert.equal(errors[1]?.updated, NOW)
      assert.deepEqual(await deliveries.get(elsewhere?.id ?? 0), elsewhere)
    })
  })

  test('removes old finished deliveries that are newer than a thousand open ones', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { companyId } = await seedCompany(repositories)
      const { deliveries, destinations, events } = repositories
      for (let number = 0; number < 40; number += 1)
        await destinations.insert(destinationOf(companyId, { url: `${URL}/${number}` }))
      for (let number = 0; number < 26; number += 1) {
        const event = await events.insert(eventOf(companyId, { eventId: `evt_${number}` }))
        await deliveries.fanOut(event, { isNamedOnly: false })
      }
      const newest = (await deliveries.list({ limit: 1 }))[0]?.id ?? 0
      await deliveries.update(newest, { status: 'succeeded' })
      assert.equal(await deliveries.removeOld({ before: LATER, limit: 100 }), 1)
      assert.equal(await deliveries.get(newest), undefined)
    })
  })

  test('sets a member of a destination that has the expected version', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { companyId } = await seedCompany(repositories)
      const { destinations } = repositories
      const version = await destinations.insert(destinationOf(companyId))
      const set = async () => await destinations.setIfNull(version.id, 'disabledReason', 'gone', version)
      const changes = [{ url: `${URL}/new` }, { retry: 'long' }, { updated: LATER }] as const
      for (const change of changes) {
        await destinations.update(version.id, change)
        assert.equal(await set(), false)
        await destinations.update(version.id, version)
      }
      assert.equal(await set(), true)
      assert.equal(await set(), false)
    })
  })

  test('removes old finished deliveries, then their events and removed destinations', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { companyId } = await seedCompany(repositories)
      const old = await seedDeliveries(repositories, companyId, 3, { created: NOW, status: 'succeeded' })
      const { deliveries, events, destinations } = repositories
      const [first, open] = old
      assert.ok(first && open)
      await deliveries.insertAttempts([{ deliveryId: first.id, started: NOW, destination: DESTINATION }])
      await deliveries.update(open.id, { status: 'pending' })
      await destinations.remove(first.destinationId, NOW)
      const removeOld = async (before: string) => {
        let all = 0
        for (;;) {
          const removed = await deliveries.removeOld({ before, limit: 1 })
          if (removed === 0) return all
          all += removed
        }
      }
      assert.equal(await removeOld(NOW), 0)
      assert.equal(await removeOld(LATER), 2)
      assert.deepEqual(
        (await deliveries.list({ limit: 9 })).map(({ id }) => id),
        [open.id],
      )
      assert.ok(await events.get(open.eventRow), 'an event that a delivery needs stays')
      assert.deepEqual(await deliveries.listAttempts(first.id), [])
      await deliveries.update(open.id, { status: 'cancelled' })
      assert.equal(await removeOld(LATER), 3, 'the delivery, its event and its destination')
      assert.equal(await events.get(open.eventRow), undefined)
    })
  })
}

/** Asks for companies around one whose destination names a type. */
async function isNamedFor(repositories: Repositories, companyId: number, destinationId: number): Promise<void> {
  const { companies, destinations } = repositories
  const above = (await companies.insert({ name: 'Above', parentId: null, created: NOW })).id
  const below = (await companies.insert({ name: 'Below', parentId: companyId, created: NOW })).id
  const asked = async () =>
    await Promise.all([above, companyId, below].map((id) => destinations.isNamed('document.failed', id)))
  assert.deepEqual(await asked(), [false, true, false])
  await destinations.update(destinationId, { includeDescendants: true })
  assert.deepEqual(await asked(), [false, true, true])
  await companies.setDisabled(companyId, true)
  assert.deepEqual(await asked(), [false, false, false])
  await companies.setDisabled(companyId, false)
}

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

const PENDING = {
  status: 'pending',
  httpStatus: null,
  attemptCount: 0,
  error: null,
  reason: null,
  resendOf: null,
  created: NOW,
  updated: NOW,
} as const

function destinationOf(companyId: number, changes: Partial<DestinationRecord> = {}): Omit<DestinationRecord, 'id'> {
  return {
    ...PLAIN_DESTINATION,
    companyId,
    url: URL,
    ...changes,
  }
}

function eventOf(companyId: number, changes: Partial<EventRecord> = {}): Omit<EventRecord, 'id'> {
  return {
    eventId: 'evt_1',
    companyId,
    type: 'agent.created',
    payload: PAYLOAD,
    payloadHash: 'ab'.repeat(32),
    created: NOW,
    ...changes,
  }
}

/** Deliveries of one event to one destination. */
async function seedDeliveries(
  { destinations, events, deliveries }: Repositories,
  companyId: number,
  count: number,
  changes: Partial<DeliveryRecord> = {},
): Promise<readonly DeliveryRecord[]> {
  const { id: destinationId } = await destinations.insert(destinationOf(companyId))
  const event = await events.insert(eventOf(companyId, { eventId: `evt_${companyId}` }))
  const records: DeliveryRecord[] = []
  while (records.length < count) {
    const of = { eventRow: event.id, eventId: event.eventId, type: event.type, destinationId, companyId }
    records.push(await deliveries.insert({ ...PENDING, ...of, ...changes }))
  }
  return records
}
