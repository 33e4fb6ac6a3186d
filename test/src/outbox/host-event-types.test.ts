import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { MemoryStorage } from '../../../adapters/memory/index.js'
import type { EventTypeDefinition, NewEvent, NewHostEvent, StandardSchema } from '../../../src/index.js'
import { type OutboxEngine, outboxEngine } from './outbox-engine.js'

const ORDER = z.object({ orderId: z.int(), placed: z.date(), note: z.string().default('none') })
const COMPANY = { companyId: 1 }

let storage: MemoryStorage
let opened: OutboxEngine

beforeEach(async () => {
  storage = new MemoryStorage()
  opened = await outboxEngine(storage)
})

afterEach(async () => {
  await opened.engine.close()
})

async function addFor(eventTypes: readonly string[] | null, host = 'hooks'): Promise<void> {
  const { destinations } = opened.engine.administration
  await destinations.create({ url: `https://${host}.example.com/`, eventTypes })
}

const bodies = (): readonly Record<string, unknown>[] =>
  opened.httpTransport.requests.map(({ body }) => JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>)

// D25
describe('an event type of the host', () => {
  it('is sent to the destinations that name it, as its schema returns it', async () => {
    const { events } = opened.engine
    const order = await events.define({ type: 'order.created', description: 'An order was placed', schema: ORDER })
    await addFor(['order.created'])
    await addFor(null, 'all')
    await addFor(['run.failed'], 'other')
    const placed = new Date('2026-01-02T03:04:05.000Z')
    const data = { orderId: 7, placed: placed.toISOString(), note: 'none' }
    const recorded = await events.record({ type: 'order.created', data: { orderId: 7, placed }, ...COMPANY })
    const envelope = { type: 'order.created', event_category: 'order', version: 'v1', data }
    expect(recorded).toMatchObject({ ...envelope, customerId: 1, deliveries: 1 })
    await order.record({ data: { orderId: 8, placed, note: 'x' }, ...COMPANY })
    const log = await opened.whenSettled()
    expect(log.map(({ type, status, destinationId }) => [type, status, destinationId])).toEqual([
      ['order.created', 'succeeded', 1],
      ['order.created', 'succeeded', 1],
    ])
    // The two deliveries are independent: either may arrive first.
    const [first, second] = bodies()
    const inOrder = JSON.stringify(first).includes('"orderId":7') ? [first, second] : [second, first]
    expect(inOrder).toMatchObject([envelope, { data: { orderId: 8, note: 'x' } }])
    expect((await opened.engine.administration.deliveries.list({ type: 'order.created' })).items).toHaveLength(2)
  })

  it('has fields by their kind, without a library for schemas', async () => {
    const { events } = opened.engine
    const type = await events.define({
      type: 'invoice.line.paid',
      schema: { invoice: 'uuid', cents: 'integer', rate: 'number', isFinal: 'boolean', note: 'string' },
    })
    type Data = Parameters<typeof type.record>[0]['data']
    expectTypeOf<Data>().toEqualTypeOf<{
      readonly invoice: string
      readonly cents: number
      readonly rate: number
      readonly isFinal: boolean
      readonly note: string
    }>()
    const data = { invoice: crypto.randomUUID(), cents: 5, rate: 0.5, isFinal: true, note: '' }
    expect(await type.record({ data, ...COMPANY })).toMatchObject({ data, deliveries: 0 })
    const refuse = async (changed: object, field: string) =>
      await expect(
        events.record({ type: 'invoice.line.paid', data: { ...data, ...changed }, ...COMPANY }),
      ).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field })
    await refuse({ cents: 1.5 }, 'data.cents')
    await refuse({ invoice: 'x' }, 'data.invoice')
    await refuse({ rate: undefined }, 'data.rate')
    await refuse({ more: 1 }, 'data.more')
  })

  it('refuses data that its schema refuses, and names the member', async () => {
    const { events } = opened.engine
    const schema = z.object({ lines: z.array(z.object({ price: z.number() })) })
    await events.define({ type: 'order.created', schema })
    const record = async (data: unknown) => await events.record({ type: 'order.created', data, ...COMPANY })
    await expect(record({ lines: [{ price: 'free' }] })).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      field: 'data.lines[0].price',
    })
    await expect(record(undefined)).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'data' })
    // The second definition replaces the first. Its schema answers later, as Standard Schema allows.
    const later: StandardSchema = {
      '~standard': { version: 1, vendor: 'test', validate: async (value) => await Promise.resolve({ value }) },
    }
    await events.define({ type: 'order.created', schema: later })
    expect(await record({ anything: [1] })).toMatchObject({ data: { anything: [1] } })
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    for (const data of ['text', [1], null, undefined, cycle, 5n]) {
      await expect(record(data)).rejects.toThrow('data: must be an object that JSON can represent')
    }
    await expect(record({ text: 'x'.repeat(262_144) })).rejects.toThrow('must have at most 262144 bytes')
  })

  it.each([
    ['run.paused', 'agent., alcove., document., run.'],
    ['document.completed', 'agent., alcove., document., run.'],
    ['alcove.started', 'agent., alcove., document., run.'],
    ['order', 'must have two parts'],
    ['Order.created', 'must have two parts'],
    ['order..created', 'must have two parts'],
    ['order.créé', 'must have two parts'],
    ['order.created"', 'must have two parts'],
    ['order.%', 'must have two parts'],
    [`order.${'x'.repeat(100)}`, 'at most 100 characters'],
  ])('cannot have the name %s', async (type, message) => {
    const defined = opened.engine.events.define({ type, schema: { id: 'integer' } })
    await expect(defined).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'type' })
    await expect(defined).rejects.toThrow(message)
  })

  it.each([[undefined], [null], ['string'], [{ id: 'bigint' }], [{ '~standard': {} }]])(
    'cannot have the schema %j',
    async (schema) => {
      const definition = { type: 'order.created', schema } as unknown as EventTypeDefinition
      const error = { code: 'ERR_INVALID_INPUT', field: 'schema' }
      await expect(opened.engine.events.define(definition)).rejects.toMatchObject(error)
    },
  )

  it('is known to every process, and recorded by those that have defined it', async () => {
    await opened.engine.events.define({ type: 'order.created', schema: ORDER })
    await addFor(['order.created'])
    await opened.engine.events.record({ type: 'order.created', data: { orderId: 1, placed: new Date() }, ...COMPANY })
    await opened.whenSettled()

    const { engine, httpTransport } = await outboxEngine(storage)
    const added = await engine.administration.destinations.create({
      url: 'https://second.example.com/',
      eventTypes: ['order.created', 'document.failed'],
    })
    expect(added.eventTypes).toEqual(['order.created', 'document.failed'])
    const record = engine.events.record({ type: 'order.created', data: { orderId: 1 }, ...COMPANY })
    await expect(record).rejects.toThrow('type: order.created is not defined in this process: call events.define')
    const before = httpTransport.requests.length + opened.httpTransport.requests.length
    await engine.administration.deliveries.resend(1)
    await opened.whenSettled()
    expect(httpTransport.requests.length + opened.httpTransport.requests.length).toBe(before + 1)
    await engine.close()
  })

  it('is in the catalog, after the types of the specification and of documents', async () => {
    const { events } = opened.engine
    await events.define({ type: 'order.paid', description: 'An order was paid', schema: { orderId: 'integer' } })
    await events.define({ type: 'order.created', schema: z.object({ orderId: z.int(), name: z.string() }) })
    const catalog = await events.catalog()
    expect(catalog).toHaveLength(14)
    expect(catalog.slice(9)).toEqual([
      expect.objectContaining({ type: 'document.completed', event_category: 'document' }),
      expect.objectContaining({ type: 'document.failed' }),
      expect.objectContaining({
        type: 'document.deleted',
        data: { contextId: 'integer', docId: 'integer', uuid: 'string', originalName: 'string' },
      }),
      {
        type: 'order.created',
        event_category: 'order',
        description: 'order.created',
        data: { orderId: 'integer', name: 'string' },
      },
      {
        type: 'order.paid',
        event_category: 'order',
        description: 'An order was paid',
        data: { orderId: 'integer' },
      },
    ])
  })

  it('must be defined before a destination names it', async () => {
    const refused = { code: 'ERR_INVALID_INPUT', field: 'eventTypes[1]' }
    await expect(addFor(['run.failed', 'order.created'])).rejects.toMatchObject(refused)
    await addFor(null)
    const { destinations } = opened.engine.administration
    const change = { url: 'https://hooks.example.com/', eventTypes: ['run.failed', 'order.created'] }
    await expect(destinations.update(1, change)).rejects.toThrow('order.created is not known')
    await opened.engine.events.define({ type: 'order.created', schema: ORDER })
    expect(await destinations.update(1, change)).toMatchObject({ eventTypes: change.eventTypes })
  })

  it('takes no name of the engine: a misspelt type and a type of documents are refused', async () => {
    const { events } = opened.engine
    for (const type of ['run.stopped', 'document.completed', 'order', '']) {
      const record = events.record({ type, data: {}, ...COMPANY } as unknown as NewEvent)
      await expect(record).rejects.toThrow('type: must be one of "run.started", ')
    }
    // @ts-expect-error a misspelt type of the specification is no type of the host
    const misspelt: NewHostEvent<'run.begun'> = { type: 'run.begun', data: {}, ...COMPANY }
    await expect(events.record(misspelt)).rejects.toMatchObject({ field: 'type' })
  })
})
