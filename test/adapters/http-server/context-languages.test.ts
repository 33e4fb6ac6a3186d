import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'
import type { ContextLanguages } from '../../../src/index.js'
import { TEXTS_IN_LANGUAGES } from '../text-extraction/language/texts-in-languages.js'
import { fileForm, NEW_CONTEXT, startServer, type TestServer } from './server.js'

let server: TestServer
let token: string

beforeAll(async () => {
  const similarity = { unrelated: 0.1, related: 0.5, languages: ['en'] }
  server = await startServer({}, new MemoryEmbeddingModel({ similarity }))
  token = await server.token('assistant')
})

afterAll(async () => {
  await server.close()
})

describe('/context/languages/{contextId}', () => {
  it('shows the languages of the documents, and those that the model does not know', async () => {
    const { id } = (await server.request<{ id: number }>('POST', '/context', { token, json: NEW_CONTEXT })).body
    const body = fileForm('room-fi.txt', TEXTS_IN_LANGUAGES.fi)
    const uploaded = await server.request<string>('POST', `/context/upload/${id}`, { token, body })
    await server.engine.as(server.engine.owner).documents.whenProcessed(uploaded.body)
    const shown = await server.request<ContextLanguages>('GET', `/context/languages/${id}`, { token })
    expect(shown.status).toBe(200)
    expect(shown.body).toMatchObject({
      embeddingModel: 'memory',
      languages: [{ language: 'fi', name: 'Finnish', documents: 1, isKnown: false }],
      notice: 'Finnish (1 document): found by words alone',
      advice: expect.stringContaining('alcove model download multilingual-e5-small') as string,
      commands: ['alcove model download multilingual-e5-small', `alcove reindex ${id} --model multilingual-e5-small`],
      downloadMb: 135,
    })
  })

  it('has no commands if the model knows the languages', async () => {
    const { id } = (await server.request<{ id: number }>('POST', '/context', { token, json: NEW_CONTEXT })).body
    const shown = await server.request<ContextLanguages>('GET', `/context/languages/${id}`, { token })
    expect(shown.body).toMatchObject({ notice: null, advice: null, commands: [], downloadMb: null })
  })

  it('answers 404 for a context that the caller cannot read', async () => {
    expect((await server.request('GET', '/context/languages/999', { token })).status).toBe(404)
  })
})
