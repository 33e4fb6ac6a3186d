import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { NewEvent } from '../../../src/index.js'
import { EVENT_TYPES } from '../../../src/webhooks/index.js'
import { EVENT_DATA } from '../../event-data.js'
import { sized } from '../../full-form.js'
import { type MemoryEngine, memoryEngine } from '../engine/memory-engine.js'

let opened: MemoryEngine

beforeEach(async () => {
  opened = await memoryEngine()
})

afterEach(async () => await opened.engine.close())

/** Records a value that plain JavaScript may pass. */
async function record(event: unknown) {
  return await opened.engine.events.record(event as NewEvent)
}

describe('the recording of an event', () => {
  it.each(EVENT_TYPES)('accepts %s with its data, and returns its envelope', async (type) => {
    const recorded = await record({ type, data: EVENT_DATA[type], companyId: 1 })
    expect(recorded).toEqual({
      id: expect.stringMatching(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/) as string,
      version: 'v1',
      type,
      event_category: type.split('.')[0],
      timestamp: '2026-01-01T00:00:00.000Z',
      data: EVENT_DATA[type],
      customerId: 1,
      deliveries: 0,
    })
  })

  it.each(EVENT_TYPES)('refuses %s with a missing field, an extra field, or a wrong type', async (type) => {
    const data: Readonly<Record<string, unknown>> = { ...EVENT_DATA[type] }
    for (const field of Object.keys(data)) {
      const { [field]: _missing, ...rest } = data
      await expect(record({ type, data: rest, companyId: 1 })).rejects.toMatchObject({
        code: 'ERR_INVALID_INPUT',
        field: `data.${field}`,
      })
      for (const wrong of [null, {}, [], 1.5, typeof data[field] === 'string' ? 42 : 'text']) {
        await expect(record({ type, data: { ...data, [field]: wrong }, companyId: 1 })).rejects.toMatchObject({
          code: 'ERR_INVALID_INPUT',
          field: `data.${field}`,
        })
      }
    }
    await expect(record({ type, data: { ...data, more: 1 }, companyId: 1 })).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      field: 'data.more',
    })
  })

  it('reports missing data as required', async () => {
    await expect(record({ type: 'agent.deleted', companyId: 1 })).rejects.toThrow('data: is required')
  })

  it.each([
    [{ type: 'agent.updated', data: {}, companyId: 1 }, 'type'],
    [{ type: 'job.completed', data: { jobKey: EVENT_DATA['run.started'].jobKey }, companyId: 1 }, 'type'],
    [{ type: 'run.started', data: { jobKey: 'x' }, companyId: 1 }, 'data.jobKey'],
    [{ type: 'run.started', companyId: 1 }, 'data'],
    [{ type: 'run.started', data: { jobKey: EVENT_DATA['run.started'].jobKey } }, 'companyId'],
    [{ type: 'run.started', data: { jobKey: EVENT_DATA['run.started'].jobKey }, companyId: '1' }, 'companyId'],
    [{ type: 'agent.created', data: { agentId: 1, name: '\uD800' }, companyId: 1 }, 'data.name'],
    [{ type: 'agent.deleted', data: { agentId: 2 ** 53 }, companyId: 1 }, 'data.agentId'],
    [undefined, ''],
  ])('refuses %j', async (event, field) => {
    await expect(record(event)).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field })
  })

  it('refuses an unknown company, and a transaction on a storage without transactions', async () => {
    const event = { type: 'agent.deleted', data: { agentId: 1 }, companyId: 9 } as const
    await expect(record(event)).rejects.toMatchObject({ code: 'ERR_COMPANY_NOT_FOUND' })
    await expect(opened.engine.events.record(event, { transaction: {} })).rejects.toMatchObject({
      code: 'ERR_UNSUPPORTED',
    })
  })

  it('sends exactly the recorded data, for any name and order of the fields', async () => {
    const { destinations } = opened.engine.administration
    await destinations.create({ url: 'https://hooks.example.com/', eventTypes: ['agent.created'] })
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 50 }).filter((name) => name.isWellFormed() && !name.includes('\0')),
        fc.maxSafeInteger(),
        async (name, agentId) => {
          const before = opened.httpTransport.requests.length
          const recorded = await record({ type: 'agent.created', data: { name, agentId }, companyId: 1 })
          await vi.waitFor(() => expect(opened.httpTransport.requests.length).toBe(before + 1), { interval: 1 })
          const { id, version, type, event_category, timestamp } = recorded
          const sent = new TextDecoder('utf-8', { ignoreBOM: true }).decode(opened.httpTransport.requests.at(-1)?.body)
          const data = { agentId, name }
          expect(sent).toBe(JSON.stringify({ id, version, type, event_category, timestamp, data }))
        },
      ),
      { numRuns: sized(30, 100) },
    )
  })

  it('returns unique ids that sort by time', async () => {
    const ids: string[] = []
    for (let event = 0; event < 20; event += 1) {
      ids.push((await record({ type: 'agent.deleted', data: { agentId: event }, companyId: 1 })).id)
      opened.clock.advance(1)
    }
    expect(new Set(ids).size).toBe(20)
    expect(ids.toSorted()).toEqual(ids)
  })

  it('reaches the destinations of its company, and those of its ancestors that include their descendants', async () => {
    const { administration, events } = opened.engine
    const child = await administration.companies.create({ name: 'Child', parentId: 1 })
    const sibling = await administration.companies.create({ name: 'Sibling', parentId: 1 })
    const add = async (host: string, customerId: number, includeDescendants = false) =>
      await administration.destinations.create({
        url: `https://${host}.example.com/`,
        eventTypes: null,
        customerId,
        includeDescendants,
      })
    await add('root', 1)
    await add('root-and-below', 1, true)
    await add('child', child.id)
    await add('sibling', sibling.id, true)
    const event = { type: 'agent.deleted', data: { agentId: 1 }, companyId: child.id } as const
    expect(await events.record(event)).toMatchObject({ customerId: child.id, deliveries: 2 })
    await vi.waitFor(() => expect(opened.httpTransport.requests).toHaveLength(2))
    expect(opened.httpTransport.requests.map(({ url }) => url).sort()).toEqual([
      'https://child.example.com/',
      'https://root-and-below.example.com/',
    ])
  })
})
