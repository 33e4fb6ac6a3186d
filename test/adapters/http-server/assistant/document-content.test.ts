import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DocumentChunk } from '../../../../src/index.js'
import type { Answer } from '../check-answer.js'
import { fileForm, NEW_CONTEXT, type Problem, startServer, type TestServer } from '../server.js'

const TEXT = `# Handbook\n\n${'Some words of a text. '.repeat(400)}\n\n## Leave  \r\n\r\nSixteen weeks: Grüße 👋\n`

let server: TestServer
let token: string
let path: string

beforeAll(async () => {
  server = await startServer()
  token = await server.token('assistant')
  const { contexts, documents } = server.engine.as(server.engine.owner)
  const contextId = (await contexts.create({ ...NEW_CONTEXT, settings: { chunkSizeTokens: 50 } })).id
  const form = fileForm('Grüße 東京.md', TEXT)
  const { body: uuid } = await server.request<string>('POST', `/context/upload/${contextId}`, { token, body: form })
  const { id } = await documents.whenProcessed(uuid)
  path = `/context/documents/${contextId}/${id}`
})

afterAll(async () => {
  await server.close()
})

async function get<Body = string>(target: string): Promise<Answer<Body>> {
  return await server.request<Body>('GET', `${path}${target}`, { token })
}

describe('GET /context/documents/{contextId}/{docId}/text', () => {
  it('answers the whole text, or the part between two offsets', async () => {
    const whole = await get('/text')
    expect(whole.status).toBe(200)
    expect(whole.body).toBe(TEXT)
    expect(whole.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(whole.headers.get('text-length')).toBe(String(TEXT.length))
    const [start, end] = [TEXT.indexOf('## Leave'), TEXT.length - 1]
    expect((await get(`/text?start=${start}&end=${end}`)).body).toBe(TEXT.slice(start, end))
  })

  it('refuses offsets outside of the text with 400', async () => {
    for (const query of [`end=${TEXT.length + 1}`, 'start=5&end=4', 'start=-1', 'start=a']) {
      const { status, body } = await get<Problem>(`/text?${query}`)
      expect(status).toBe(400)
      expect(body.detail).toMatch(/^(start|end): must be/)
    }
  })
})

describe('GET /context/documents/{contextId}/{docId}/content', () => {
  it('answers the bytes as they were received, as an attachment that no browser runs', async () => {
    const { status, headers, body } = await get('/content')
    expect(status).toBe(200)
    expect(body).toBe(TEXT)
    expect(headers.get('content-type')).toBe('application/octet-stream')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain('sandbox')
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(TEXT)))
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename=.*; filename\*=UTF-8''Gr%C3%BC%C3%9Fe%20%E6%9D%B1%E4%BA%AC\.md$/,
    )
  })
})

describe('GET /context/documents/{contextId}/{docId}/chunks', () => {
  it('lists the chunks page by page, with their offsets, pages and headings', async () => {
    const chunks: DocumentChunk[] = []
    for (let target: string | undefined = '/chunks'; target !== undefined; ) {
      const { status, headers, body }: Answer<DocumentChunk[]> = await get(target)
      expect(status).toBe(200)
      expect(body.length).toBeLessThanOrEqual(20)
      chunks.push(...body)
      target = /<[^>]*(\/chunks\?[^>]*)>/.exec(headers.get('link') ?? '')?.[1]
    }
    expect(chunks.length).toBeGreaterThan(20)
    expect(chunks.map(({ ordinal }) => ordinal)).toEqual(chunks.map((_, index) => index))
    for (const { start, end, content } of chunks) expect(TEXT.slice(start, end)).toBe(content)
    expect(chunks[1]).toMatchObject({ pages: null, headings: ['Handbook'] })
    const { body } = await get<DocumentChunk[]>('/chunks?limit=1&after=4')
    expect(body).toEqual([chunks[5]])
    expect((await get<Problem>('/chunks?limit=101')).status).toBe(400)
  })
})

describe('a file with a number for a name', () => {
  it('is found by the title in its metadata', async () => {
    const { contexts, documents } = server.engine.as(server.engine.owner)
    const { id } = await contexts.create({ ...NEW_CONTEXT, settings: { chunkSizeTokens: 50 } })
    for (const [index, title] of ['Osprey manual', 'Wren manual'].entries()) {
      const text = `---\ntitle: ${title}\n---\n\n# Care\n\n${'Clean the filter. '.repeat(60)} Turn four screws.\n`
      await documents.whenProcessed(await documents.upload(id, { fileName: `000${index}.md`, content: text }))
    }
    const json = { prompt: 'screws of the osprey', mode: 'keyword', include: ['source'] }
    const { body: hits } = await server.request<{ source: object }[]>('POST', `/context/relevant-docs/${id}`, {
      token,
      json,
    })
    expect(hits[0]?.source).toMatchObject({ displayName: '0000.md', headings: ['Osprey manual', 'Care'] })
  })
})

describe('the text, the bytes and the chunks of a document', () => {
  it('are as hidden as the document is', async () => {
    for (const part of ['/text', '/content', '/chunks']) {
      const unknown = path.replace(/\d+$/, '999')
      expect((await server.request('GET', `${unknown}${part}`, { token })).status).toBe(404)
      expect((await server.request('GET', `${path}${part}`, {})).status).toBe(401)
      const tenantToken = await server.token('tenant')
      expect((await server.request('GET', `${path}${part}`, { token: tenantToken })).status).toBe(403)
    }
  })
})
