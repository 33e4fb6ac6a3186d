import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryTelemetry } from '../../../adapters/memory/index.js'
import { MemoryTracer } from '../../../adapters/memory/memory-tracer.js'
import { parseTraceparent } from '../../../src/ports/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from './memory-engine.js'

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const TRACE_ID = parseTraceparent(TRACEPARENT)?.traceId

let tracer: MemoryTracer
let telemetry: MemoryTelemetry
let memory: MemoryEngine

beforeEach(async () => {
  tracer = new MemoryTracer()
  telemetry = new MemoryTelemetry({ tracer })
  memory = await inTrace(() => memoryEngine({ telemetry }))
})

afterEach(async () => {
  await memory.engine.close()
})

/** Runs work as a part of a request of the host. */
async function inTrace<T>(work: () => Promise<T>): Promise<T> {
  return await tracer.span('http.server.request', { parent: TRACEPARENT }, work)
}

async function record(): Promise<void> {
  const { companyId } = memory.engine.owner
  await memory.engine.events.record({ type: 'agent.created', data: { agentId: 1, name: 'A' }, companyId })
}

describe('the trace of a request', () => {
  it('is stored with its deliveries and their jobs', async () => {
    await memory.engine.administration.destinations.create({ url: 'https://receiver.example/x', eventTypes: null })
    memory.httpTransport.respond = () => ({ kind: 'timeout', error: 'no answer' })
    await inTrace(record)
    await eventually(() => expect(tracer.spans.some(({ name }) => name === 'alcove.deliver')).toBe(true))
    const [delivery] = await memory.storage.read(({ deliveries }) => deliveries.list({ limit: 9 }))
    expect(parseTraceparent(delivery?.traceparent ?? '')?.traceId).toBe(TRACE_ID)
    const attempt = tracer.spans.find(({ name }) => name === 'alcove.deliver')
    expect([attempt?.traceId, attempt?.errorType]).toEqual([TRACE_ID, 'timeout'])
  })

  it('labels the deliveries of all types of the host alike', async () => {
    const { administration, events, owner } = memory.engine
    const order = await events.define({ type: 'order.created', schema: { orderId: 'integer' } })
    await administration.destinations.create({ url: 'https://receiver.example/x', eventTypes: ['order.created'] })
    await order.record({ data: { orderId: 1 }, companyId: owner.companyId })
    const attempt = () => tracer.spans.find(({ name }) => name === 'alcove.deliver')
    await eventually(() => expect(attempt()).toBeDefined())
    expect(attempt()?.labels).toMatchObject({ 'alcove.event.type': 'host' })
    expect(attempt()?.attributes).toMatchObject({ 'alcove.event.host_type': 'order.created' })
  })

  it('goes on in the removal of a context, and in what the removal makes necessary', async () => {
    const { id } = await memory.session.contexts.create(NEW_CONTEXT)
    await uploadText(memory.session, id, 'a.txt', 'Some text.')
    await inTrace(() => memory.session.contexts.delete(id))
    await memory.engine.whenCleared()
    const removals = tracer.spans.filter(({ labels }) => String(labels['alcove.job.kind']).startsWith('purge'))
    expect(removals.length).toBeGreaterThan(0)
    expect(new Set(removals.map(({ traceId }) => traceId))).toEqual(new Set([TRACE_ID]))
  })

  it('is not that of work that repeats for ever', async () => {
    const trims = () => tracer.spans.filter(({ labels }) => String(labels['alcove.job.kind']).startsWith('trim'))
    await eventually(() => expect(trims().length).toBeGreaterThanOrEqual(2))
    expect(trims().map(({ parentId }) => parentId)).not.toContainEqual(expect.any(String))
  })

  it('is not sent to a receiver, and not even that of the stored delivery, unless the operator wants it', async () => {
    await memory.engine.administration.destinations.create({ url: 'https://receiver.example/x', eventTypes: null })
    await inTrace(record)
    await eventually(() => expect(memory.httpTransport.requests).toHaveLength(1))
    expect(memory.httpTransport.requests[0]?.headers).not.toHaveProperty('traceparent')
  })
})

describe('the measurement of an engine', () => {
  it('begins when it opens, and ends when it closes', async () => {
    const [measure] = telemetry.measures
    const names = (await measure?.())?.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['alcove.queue.jobs', 'alcove.queue.age_seconds', 'alcove.table.rows']),
    )
    await memory.engine.close()
    expect(telemetry.measures.size).toBe(0)
  })

  it('leaves out what cannot be measured', async () => {
    const [measure] = telemetry.measures
    memory.storage.read = () => Promise.reject(new Error('the database is away'))
    const names = (await measure?.())?.map(({ name }) => name)
    expect(names).toContain('alcove.model.available')
    expect(names).not.toContain('alcove.queue.jobs')
  })
})

/** Waits until a check passes, for longer than a busy machine needs. */
async function eventually(check: () => unknown): Promise<void> {
  await vi.waitFor(check, { timeout: 10_000 })
}
