import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatPrompt, Tool } from '../../../../src/index.js'
import type { Answer } from '../check-answer.js'
import { fileForm, NEW_CONTEXT, type Problem, startServer, type TestServer } from '../server.js'

const TOOL: Tool = {
  id: 1,
  name: 'book',
  description: 'Books a room.',
  action: 'Run Agent',
  agentId: 7,
  parameters: [{ paramName: 'seats', type: 'integer', required: true, description: 'Number of seats' }],
}

let server: TestServer
let token: string
let contextId: number

beforeAll(async () => {
  server = await startServer()
  token = await server.token('assistant')
  const json = { ...NEW_CONTEXT, toolsJson: JSON.stringify([TOOL]) }
  contextId = (await server.request<{ id: number }>('POST', '/context', { token, json })).body.id
  const body = fileForm('leave.txt', 'Parental leave lasts sixteen weeks.')
  const { body: uuid } = await server.request<string>('POST', `/context/upload/${contextId}`, { token, body })
  await server.engine.as(server.engine.owner).documents.whenProcessed(uuid)
})

afterAll(async () => {
  await server.close()
})

async function prepare<Body = Problem>(json: unknown, id: number = contextId): Promise<Answer<Body>> {
  return await server.request<Body>('POST', `/context/prepare/${id}`, { token, json })
}

describe('POST /context/prepare/{contextId}', () => {
  it('answers with what session.prepare gives, in the form of the description', async () => {
    const history = [
      { role: 'user' as const, content: 'Hello!' },
      { role: 'assistant' as const, content: 'Hello.' },
    ]
    const options = { history, maxTokens: 2_000, topN: 1, prompt: 'parental leave' }
    const { status, body } = await prepare<ChatPrompt>({ question: 'How long?', ...options })
    expect(status).toBe(200)
    const session = server.engine.as(server.engine.owner)
    expect(body).toEqual(await session.prepare(contextId, 'How long?', options))
    expect(body.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(body.sources).toMatchObject([{ number: 1, displayName: 'leave.txt', start: 0, end: 35 }])
    expect(body.tools).toMatchObject([{ type: 'function', function: { name: 'book' } }])
  })

  it('refuses what session.prepare refuses, and unknown members', async () => {
    expect(await prepare({})).toMatchObject({ status: 400, body: { detail: 'question: is required' } })
    expect(await prepare({ question: 'x', maxTokens: 9 })).toMatchObject({
      status: 400,
      body: { code: 'ERR_INVALID_INPUT' },
    })
    expect(await prepare({ question: 'x', countTokens: 1 })).toMatchObject({ status: 400 })
    expect(await prepare({ question: 'x' }, 999)).toMatchObject({
      status: 404,
      body: { code: 'ERR_CONTEXT_NOT_FOUND' },
    })
  })
})
