import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHttpHandler, type HttpHandler } from '../../../adapters/http-server/index.js'
import { MemoryTelemetry } from '../../../adapters/memory/index.js'
import { InterruptedPorts } from '../../src/documents/interrupted-ports.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../../src/engine/memory-engine.js'

const LINES = Array.from({ length: 4_000 }, (_, number) => `Line ${number} says that a heron nests in reeds.`)

let ports: InterruptedPorts
let memory: MemoryEngine
let telemetry: MemoryTelemetry
let handler: HttpHandler
let token: string
let uuid: string
let path: string

beforeEach(async () => {
  ports = new InterruptedPorts()
  memory = await memoryEngine({ storage: ports.storage, fileStore: ports.fileStore })
  telemetry = new MemoryTelemetry()
  handler = createHttpHandler(memory.engine, { telemetry })
  const { clientId, clientSecret } = await memory.engine.initialize()
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const body = new URLSearchParams({ ...form, target_app: 'assistant' })
  const answer = await handler(new Request('http://localhost/connect/token', { method: 'POST', body }))
  token = ((await answer.json()) as { access_token: string }).access_token
  const { contexts, documents } = memory.session
  const { id: contextId } = await contexts.create({ ...NEW_CONTEXT, settings: { chunkSizeTokens: 50 } })
  uuid = await uploadText(memory.session, contextId, 'birds.txt', LINES.join('\n'))
  path = `/context/documents/${contextId}/${(await documents.get(uuid)).id}`
})

afterEach(async () => {
  await memory.engine.close()
})

async function get(part: string): Promise<Response> {
  return await handler(new Request(`http://localhost${path}${part}`, { headers: { authorization: `Bearer ${token}` } }))
}

async function deleteAndPurge(): Promise<void> {
  await memory.session.documents.delete(uuid)
  await memory.engine.whenCleared()
}

const PARTS = ['/text', '/text?start=5&end=20', '/content', '/chunks', '/chunks?limit=3&after=2']

describe('a version that is deleted and purged while a client reads it', () => {
  // Q9
  it.each(PARTS)('is 404 before the first byte: %s', async (part) => {
    const answer = await ports.interrupt(deleteAndPurge, async () => await get(part))
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ code: 'ERR_DOCUMENT_NOT_FOUND' })
  })

  it('aborts an answer that has begun, and the log says why', async () => {
    const answer = await get('/text')
    const reader = answer.body?.getReader() ?? expect.fail('the answer has no body')
    expect((await reader.read()).done).toBe(false)
    await deleteAndPurge()
    const rest = async (): Promise<void> => {
      while (!(await reader.read()).done) continue
    }
    await expect(rest()).rejects.toThrow('http.request.failed')
    const failed = telemetry.events.find(({ name }) => name === 'http.request.failed')
    expect(JSON.stringify(failed)).toContain('ERR_DOCUMENT_NOT_FOUND')
  })
})
