import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { Histogram } from '@opentelemetry/sdk-metrics'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createHttpHandler } from '../../../adapters/http-server/index.js'
import { NotFoundError } from '../../../src/index.js'
import { GAUGES, SPANS, type SpanName } from '../../../src/ports/index.js'
import { telemetrySuite } from '../../conformance/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../../src/engine/memory-engine.js'
import { Observed, traceIdOf } from './observed.js'

telemetrySuite({ describe, it }, 'OpenTelemetry', async () => {
  const observed = new Observed()
  return { port: observed.telemetry, dispose: async () => await observed.close() }
})

const SECRET_WORDS = 'Zanzibar parrots'
const REMOTE = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
const TRACEPARENT = `00-${REMOTE.traceId}-${REMOTE.spanId}-01`

let observed: Observed
let memory: MemoryEngine
let contextId: number

beforeEach(async () => {
  observed = new Observed()
  memory = await memoryEngine({ telemetry: observed.telemetry })
  contextId = (await memory.session.contexts.create(NEW_CONTEXT)).id
})

afterEach(async () => {
  await memory.engine.close()
  await observed.close()
})

async function ingest(text = `${SECRET_WORDS} like nuts.`): Promise<void> {
  await uploadText(memory.session, contextId, 'birds.txt', text)
  await eventually(() => expect(observed.named('alcove.ingest')).toHaveLength(1))
}

describe('the spans of a search', () => {
  it('are embedding, words, vectors and the read of the chunks, below one span with the settings', async () => {
    await ingest()
    observed.clear()
    const results = await memory.session.search(contextId, `Do ${SECRET_WORDS} like nuts?`)
    expect(results).toHaveLength(1)
    const [search] = observed.named('alcove.search')
    expect(search?.attributes).toMatchObject({
      'alcove.search.kind': 'one',
      'alcove.search.mode': 'hybrid',
      'alcove.context.id': contextId,
      'alcove.search.results': 1,
    })
    expect(search && observed.tree(search)).toEqual({
      'alcove.search.embed': {},
      'alcove.search.words': {},
      'alcove.search.vectors': {},
      'alcove.search.read': {},
    })
    expect(observed.named('alcove.search.embed')[0]?.attributes).toMatchObject({ 'alcove.model.windows': 1 })
    const [duration] = await observed.points('alcove.search.duration_seconds')
    expect(duration?.attributes).toEqual({ 'alcove.search.kind': 'one', 'alcove.search.mode': 'hybrid' })
    expect((duration?.value as Histogram).count).toBe(1)
    expect(observed.log.events).toContainEqual(expect.objectContaining({ name: 'search.completed', level: 'debug' }))
  })

  it('show the code of an error, and neither its message nor the prompt', async () => {
    await expect(memory.session.search(999, SECRET_WORDS)).rejects.toThrow(NotFoundError)
    const [search] = observed.named('alcove.search')
    expect(search?.status).toEqual({ code: SpanStatusCode.ERROR })
    expect(search?.attributes['error.type']).toBe('ERR_CONTEXT_NOT_FOUND')
    const [duration] = await observed.points('alcove.search.duration_seconds')
    expect(duration?.attributes).toEqual({ 'alcove.search.kind': 'one', 'error.type': 'ERR_CONTEXT_NOT_FOUND' })
  })

  it('of several contexts, and of an explanation, are of other kinds', async () => {
    await ingest()
    const other = await memory.session.contexts.create({ ...NEW_CONTEXT, name: 'Other' })
    observed.clear()
    await memory.session.searchAll([contextId, other.id], SECRET_WORDS)
    await memory.session.explain(contextId, SECRET_WORDS)
    const [several, explanation] = observed.named('alcove.search')
    expect(several?.attributes).toMatchObject({ 'alcove.search.kind': 'several', 'alcove.search.contexts': 2 })
    expect(explanation?.attributes).toMatchObject({ 'alcove.search.kind': 'explanation' })
    expect(several && Object.keys(observed.tree(several))).toContain('alcove.search.embed')
  })
})

describe('the spans of an ingestion', () => {
  it('are its stages, below the span of its job', async () => {
    await ingest()
    const [ingestion] = observed.named('alcove.ingest')
    expect(ingestion && observed.tree(ingestion)).toEqual({
      'alcove.ingest.extract': {},
      'alcove.ingest.words': {},
      'alcove.ingest.embed': {},
      'alcove.ingest.index': {},
      'alcove.ingest.complete': {},
    })
    expect(ingestion?.kind).toBe(SpanKind.CONSUMER)
    expect(ingestion?.attributes).toMatchObject({
      'alcove.job.kind': 'ingest-document',
      'alcove.model.id': 'memory',
      'alcove.context.id': contextId,
      'alcove.document.chunks': 1,
      'alcove.document.windows': 1,
    })
    expect(observed.log.events).toContainEqual(
      expect.objectContaining({ name: 'ingestion.completed', level: 'info', durationMs: expect.any(Number) as number }),
    )
  })

  it('of a large document are the same', async () => {
    await ingest(`${SECRET_WORDS} like nuts and berries.\n\n`.repeat(4_000))
    const [ingestion] = observed.named('alcove.ingest')
    expect(ingestion && Object.keys(observed.tree(ingestion))).toEqual(
      ['extract', 'words', 'embed', 'index', 'complete'].map((stage) => `alcove.ingest.${stage}`),
    )
    expect(observed.spans.filter(({ name }) => name.startsWith('alcove.ingest'))).toHaveLength(6)
  })

  it('of a document that fails have its code', async () => {
    const uuid = await memory.session.documents.upload(contextId, { fileName: 'empty.txt', content: ' ' })
    await expect(memory.session.documents.whenProcessed(uuid)).rejects.toThrow()
    await eventually(() => expect(observed.named('alcove.ingest')).toHaveLength(1))
    expect(observed.named('alcove.ingest')[0]?.attributes['error.type']).toBe('ERR_NO_TEXT')
  })
})

describe('a trace', () => {
  async function request(path: string, init: RequestInit): Promise<Response> {
    const handler = createHttpHandler(memory.engine, { telemetry: observed.telemetry })
    const response = await handler(new Request(`http://alcove.test${path}`, init))
    await response.text()
    return response
  }

  async function token(target: string): Promise<string> {
    const { clientId: client_id, clientSecret: client_secret } = await memory.engine.initialize()
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, target_app: target })
    const handler = createHttpHandler(memory.engine)
    const response = await handler(new Request('http://alcove.test/connect/token', { method: 'POST', body }))
    return ((await response.json()) as { access_token: string }).access_token
  }

  it('begins at the client, and goes on through the request to the job of the document', async () => {
    const form = new FormData()
    form.set('file', new File([SECRET_WORDS], 'birds.txt'))
    const headers = { authorization: `Bearer ${await token('assistant')}`, traceparent: TRACEPARENT }
    const { status } = await request(`/context/upload/${contextId}`, { method: 'POST', headers, body: form })
    expect(status).toBeLessThan(300)
    await eventually(() => expect(observed.named('alcove.ingest')).toHaveLength(1))
    const [received] = observed.named('POST /context/upload/{contextId}')
    expect(received?.parentSpanContext).toMatchObject(REMOTE)
    expect(received?.kind).toBe(SpanKind.SERVER)
    expect(received?.attributes).toMatchObject({ 'http.route': '/context/upload/{contextId}' })
    const [ingestion] = observed.named('alcove.ingest')
    expect(traceIdOf(ingestion)).toBe(REMOTE.traceId)
    expect(ingestion?.parentSpanContext?.spanId).toBe(received?.spanContext().spanId)
    const [duration] = await observed.points('http.server.request.duration_seconds')
    expect(duration?.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/context/upload/{contextId}',
      'http.response.status_code': status,
    })
  })

  it('of a request whose event is recorded goes on in the delivery, also after a failed attempt', async () => {
    await memory.engine.administration.destinations.create({
      url: 'https://receiver.example/x?token=s3cret',
      eventTypes: null,
    })
    let status = 503
    memory.httpTransport.respond = () => {
      const response = { kind: 'response', httpStatus: status, body: new Uint8Array() } as const
      status = 200
      return response
    }
    const { companyId } = memory.engine.owner
    await observed.telemetry.tracer.span('http.server.request', { parent: TRACEPARENT }, async () => {
      await memory.engine.events.record({ type: 'agent.created', data: { agentId: 1, name: 'A' }, companyId })
    })
    await eventually(() => expect(observed.named('alcove.deliver')).toHaveLength(2))
    const [failed, succeeded] = observed.named('alcove.deliver')
    for (const delivery of [failed, succeeded]) {
      expect(traceIdOf(delivery)).toBe(REMOTE.traceId)
      expect(delivery?.kind).toBe(SpanKind.CLIENT)
    }
    expect(failed?.attributes).toMatchObject({
      'alcove.delivery.outcome': 'http_error',
      'alcove.delivery.attempt': 1,
      'http.response.status_code': 503,
      'error.type': 'http_error',
    })
    expect(succeeded?.attributes).toMatchObject({ 'alcove.delivery.outcome': 'success', 'alcove.delivery.attempt': 2 })
    expect(succeeded?.attributes).not.toHaveProperty('error.type')
    const outcomes = (await observed.points('alcove.deliver.duration_seconds')).map(({ attributes, value }) => {
      return [attributes['alcove.delivery.outcome'], (value as Histogram).count]
    })
    expect(outcomes).toEqual([
      ['http_error', 1],
      ['success', 1],
    ])
    // The headers are those of the specification.
    expect(Object.keys(memory.httpTransport.requests[0]?.headers ?? {}).sort()).toEqual(
      ['content-type', 'x-service-event', 'x-service-signature'].sort(),
    )
  })

  it('does not begin in the span in which the engine was opened', async () => {
    const opened = await observed.telemetry.tracer.span('alcove.search', {}, async () => {
      return await memoryEngine({ telemetry: observed.telemetry })
    })
    const { id } = await opened.session.contexts.create(NEW_CONTEXT)
    await uploadText(opened.session, id, 'birds.txt', SECRET_WORDS)
    await opened.engine.close()
    const [opening] = observed.named('alcove.search')
    const [ingestion] = observed.named('alcove.ingest')
    expect(ingestion?.parentSpanContext).toBeUndefined()
    expect(traceIdOf(ingestion)).not.toBe(traceIdOf(opening))
  })
})

describe('the header traceparent of events', () => {
  it('is sent if the operator wants it, and is that of the attempt', async () => {
    await memory.engine.close()
    memory = await memoryEngine({ telemetry: observed.telemetry, sendsTraceparent: true })
    await memory.engine.administration.destinations.create({ url: 'https://receiver.example/x', eventTypes: null })
    const { companyId } = memory.engine.owner
    await observed.telemetry.tracer.span('http.server.request', { parent: TRACEPARENT }, async () => {
      await memory.engine.events.record({ type: 'agent.created', data: { agentId: 1, name: 'A' }, companyId })
    })
    await eventually(() => expect(observed.named('alcove.deliver')).toHaveLength(1))
    const { spanId } = observed.named('alcove.deliver')[0]?.spanContext() ?? {}
    expect(memory.httpTransport.requests[0]?.headers['traceparent']).toBe(`00-${REMOTE.traceId}-${spanId}-01`)
  })
})

describe('the metrics of an engine', () => {
  it('have the length and the age of each queue, and its running jobs', async () => {
    let answer = (): void => undefined
    memory.httpTransport.respond = async () => {
      await new Promise<void>((resolve) => {
        answer = resolve
      })
      return { kind: 'response', httpStatus: 200, body: new Uint8Array() }
    }
    await memory.engine.administration.destinations.create({ url: 'https://receiver.example/x', eventTypes: null })
    const { companyId } = memory.engine.owner
    await memory.engine.events.record({ type: 'agent.created', data: { agentId: 1, name: 'A' }, companyId })
    await eventually(() => expect(memory.httpTransport.requests).toHaveLength(1))
    expect(await observed.gauge('alcove.queue.jobs', 'deliver-event')).toBe(1)
    expect(await observed.gauge('alcove.queue.due_jobs', 'deliver-event')).toBe(0)
    expect(await observed.gauge('alcove.queue.age_seconds', 'deliver-event')).toBe(0)
    expect(await observed.gauge('alcove.queue.running_jobs', 'deliver-event')).toBe(1)
    expect(await observed.gauge('alcove.queue.jobs', 'ingest-document')).toBe(0)
    answer()
    await eventually(async () => expect(await observed.gauge('alcove.queue.jobs', 'deliver-event')).toBe(0))
  })

  it('show models, indexes and tables', async () => {
    await ingest()
    expect(await observed.gauge('alcove.model.available', 'memory')).toBe(1)
    expect(await observed.gauge('alcove.index.collections', 'vectors')).toBe(1)
    expect(await observed.gauge('alcove.table.rows', 'documents')).toBe(1)
  })

  it('count events, of success and of trouble', async () => {
    await ingest()
    const counts = await observed.points('alcove.events')
    const completed = counts.find(({ attributes }) => attributes['alcove.event.name'] === 'ingestion.completed')
    expect([completed?.value, completed?.attributes['alcove.event.level']]).toEqual([1, 'info'])
  })

  it('end when the engine closes', async () => {
    await memory.engine.close()
    expect(await observed.points('alcove.queue.jobs')).toEqual([])
  })
})

describe('spans and metrics', () => {
  it('have only the names, labels and attributes of the tables, and no text of a user', async () => {
    await memory.engine.administration.destinations.create({
      url: 'https://receiver.example/x?token=s3cret',
      eventTypes: null,
    })
    await ingest()
    await memory.session.search(contextId, SECRET_WORDS)
    await memory.session.documents.delete((await memory.session.documents.list(contextId))[0]?.uuid ?? '')
    await memory.engine.whenCleared()
    const { companyId } = memory.engine.owner
    await memory.engine.events.record({ type: 'agent.created', data: { agentId: 1, name: SECRET_WORDS }, companyId })
    await eventually(() => expect(observed.named('alcove.deliver')).toHaveLength(1))
    expect(observed.named('alcove.job').length).toBeGreaterThan(0)
    for (const { name, attributes } of observed.spans) {
      const { labels, attributes: known } = SPANS[name as SpanName]
      expect([...labels, ...known, 'error.type']).toEqual(expect.arrayContaining(Object.keys(attributes)))
    }
    for (const [name, { labels }] of Object.entries(GAUGES)) {
      for (const { attributes } of await observed.points(name)) expect(Object.keys(attributes)).toEqual(labels)
    }
    const shown = JSON.stringify(observed.spans.map(({ name, attributes, events }) => [name, attributes, events]))
    for (const secret of ['Zanzibar', 'parrots', 'birds', 's3cret', 'receiver']) expect(shown).not.toContain(secret)
  })
})

/** Waits until a check passes, for longer than a busy machine needs. */
async function eventually(check: () => unknown): Promise<void> {
  await vi.waitFor(check, { timeout: 10_000 })
}
