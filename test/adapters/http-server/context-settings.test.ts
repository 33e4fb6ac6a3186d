import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ContextSettingsView } from '../../../src/index.js'
import type { Answer } from './check-answer.js'
import { fileForm, NEW_CONTEXT, type Problem, startServer, type TestServer } from './server.js'

const TEXT = Array.from({ length: 60 }, (_, item) => `Lamp ${item} stands in room ${item}.`).join(' ')

let server: TestServer
let token: string

beforeAll(async () => {
  server = await startServer()
  token = await server.token('assistant')
})

afterAll(async () => {
  await server.close()
})

async function newContext(): Promise<number> {
  const { body } = await server.request<{ id: number }>('POST', '/context', { token, json: NEW_CONTEXT })
  return body.id
}

async function upload(contextId: number, text: string): Promise<void> {
  const form = fileForm('lamps.txt', text)
  const { body } = await server.request<string>('POST', `/context/upload/${contextId}`, { token, body: form })
  await server.engine.as(server.engine.owner).documents.whenProcessed(body)
}

async function put<Body = Problem>(contextId: number, json: unknown): Promise<Answer<Body>> {
  return await server.request<Body>('PUT', `/context/settings/${contextId}`, { token, json })
}

describe('/context/settings/{contextId}', () => {
  it('shows all settings, and changes those that are given', async () => {
    const id = await newContext()
    const shown = await server.request<ContextSettingsView>('GET', `/context/settings/${id}`, { token })
    expect(shown.status).toBe(200)
    expect(shown.body).toEqual({
      embeddingModel: 'memory',
      maxSizeBytes: 104_857_600,
      topN: 5,
      scoreThreshold: 0,
      chunkSizeTokens: 1_000,
      overlap: 0.2,
      searchMode: 'hybrid',
      findsEarly: true,
      reindexing: null,
    })
    const changed = await put(id, { topN: 3, searchMode: 'keyword', findsEarly: false })
    expect(changed.body).toEqual({ ...shown.body, topN: 3, searchMode: 'keyword', findsEarly: false })
    expect((await server.request('GET', `/context/settings/${id}`, { token })).body).toEqual(changed.body)
  })

  it('applies another chunk size once all documents are cut a second time', async () => {
    const id = await newContext()
    await upload(id, TEXT)
    const search = { token, json: { prompt: 'lamp 59', topN: 1 } }
    const [before] = (await server.request<{ content: string }[]>('POST', `/context/relevant-docs/${id}`, search)).body
    expect(before?.content).toBe(TEXT)
    const started = await put<ContextSettingsView>(id, { chunkSizeTokens: 32, overlap: 0 })
    expect(started.status).toBe(200)
    await server.engine.as(server.engine.owner).contexts.whenReindexed(id)
    const { body } = await server.request<ContextSettingsView>('GET', `/context/settings/${id}`, { token })
    expect(body).toMatchObject({ chunkSizeTokens: 32, overlap: 0, reindexing: null })
    const [after] = (await server.request<{ content: string }[]>('POST', `/context/relevant-docs/${id}`, search)).body
    expect(after?.content).toContain('Lamp 59 stands in room 59.')
    expect(after?.content.length).toBeLessThan(TEXT.length / 4)
  })

  it('cancels a re-index by null, and changes the other settings of the body', async () => {
    const id = await newContext()
    await upload(id, TEXT)
    const started = await put<ContextSettingsView>(id, { chunkSizeTokens: 32, overlap: 0 })
    expect(started.body.reindexing).toMatchObject({ chunkSizeTokens: 32, waiting: null })
    const cancelled = await put<ContextSettingsView>(id, { reindexing: null, topN: 3 })
    expect(cancelled.body).toMatchObject({ chunkSizeTokens: 1_000, overlap: 0.2, topN: 3, reindexing: null })
    // The members that the body lacks are the present ones, not those of the re-index that ends.
    await put(id, { chunkSizeTokens: 32, overlap: 0 })
    const replaced = await put<ContextSettingsView>(id, { reindexing: null, chunkSizeTokens: 64 })
    expect(replaced.body.reindexing).toMatchObject({ chunkSizeTokens: 64, overlap: 0.2 })
    expect((await put<ContextSettingsView>(id, { reindexing: null })).body.reindexing).toBeNull()
  })

  it.each([
    [{ topK: 3 }, 'topK: unknown option "topK"; expected one of embeddingModel, '],
    [{ reindexing: { error: null } }, 'reindexing: is read only; leave it out, or null cancels the re-index'],
    [{ chunkSizeTokens: 8 }, 'chunkSizeTokens: must be an integer from 16 to 8192'],
    [{ maxSizeBytes: 104_857_601 }, 'maxSizeBytes: must be at most 104857600: only the host can raise it'],
    [{ overlap: 1 }, 'overlap: must be a number at least 0 and less than 1'],
    [{ embeddingModel: 'gpt' }, 'settings.embeddingModel: no model named gpt; known: memory'],
  ])('answers 400 to %j, and changes nothing', async (json, detail) => {
    const id = await newContext()
    const { status, body } = await put(id, { topN: 7, ...json })
    expect(status).toBe(400)
    expect(body.detail).toContain(detail)
    const settings = await server.engine.as(server.engine.owner).contexts.settings(id)
    expect(settings).toMatchObject({ topN: 5, reindexing: null })
  })

  it('answers 404 to a context that is not there, and 403 to a token of another application', async () => {
    expect(await put(999, {})).toMatchObject({ status: 404, body: { code: 'ERR_CONTEXT_NOT_FOUND' } })
    const tenant = await server.token('tenant')
    const id = await newContext()
    expect((await server.request('GET', `/context/settings/${id}`, { token: tenant })).status).toBe(403)
    expect((await server.request('PUT', `/context/settings/${id}`, { json: {} })).status).toBe(401)
  })
})
