import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAlcoveClient } from '../../../../adapters/client/index.js'
import { createMcpHandler } from '../../../../adapters/mcp/index.js'
import { MemoryTextExtractor } from '../../../../adapters/memory/index.js'
import { type Session, TextUnavailableError } from '../../../../src/index.js'
import type { ExtractedPiece, ExtractionSource } from '../../../../src/ports/index.js'
import { AGENT_KINDS, textOf } from '../../mcp/clients.js'
import { NEW_CONTEXT, type Problem, startServer, type TestServer } from '../server.js'

/** Reads no file before the test says so. */
class HeldExtractor extends MemoryTextExtractor {
  release: () => void = () => undefined
  readonly #released = new Promise<void>((resolve) => {
    this.release = resolve
  })

  override async *extract(source: ExtractionSource): AsyncGenerator<ExtractedPiece> {
    if (source.fileName.startsWith('slow')) await this.#released
    yield* super.extract(source)
  }
}

const textExtractor = new HeldExtractor()
let server: TestServer
let session: Session
let token: string
let slow: string
let failed: string

beforeAll(async () => {
  server = await startServer({}, undefined, { textExtractor })
  session = server.engine.as(server.engine.owner)
  token = await server.token('assistant')
  await session.contexts.create(NEW_CONTEXT)
  failed = await session.documents.upload(1, { fileName: 'blank.txt', content: '   ' })
  await session.documents.whenProcessed(failed).catch(() => undefined)
  slow = await session.documents.upload(1, { fileName: 'slow.txt', content: 'Some words.' })
})

afterAll(async () => {
  textExtractor.release()
  await server.close()
})

const NOT_READY = /has no text yet: it is still being processed/
const FAILED = /has no text: it has failed: The file has no text \(ERR_NO_TEXT\)/

describe('the text of a document that is still being read', () => {
  it('is refused by the library as what is not ready yet, and may be asked for again', async () => {
    const refused = session.documents.text(slow)
    await expect(refused).rejects.toThrow(NOT_READY)
    await expect(refused).rejects.toBeInstanceOf(TextUnavailableError)
    await expect(refused).rejects.toMatchObject({ code: 'ERR_NOT_READY', isTransient: true })
    await expect(session.documents.openText(slow, { start: 3 })).rejects.toMatchObject({ code: 'ERR_NOT_READY' })
  })

  it('is 409 ERR_NOT_READY over REST, with a range and without, while its bytes are there', async () => {
    for (const query of ['', '?start=0&end=3']) {
      const { status, body } = await server.request<Problem>('GET', `/context/documents/1/2/text${query}`, { token })
      expect([status, body.code, body.detail]).toEqual([409, 'ERR_NOT_READY', expect.stringMatching(NOT_READY)])
    }
    expect((await server.request('GET', '/context/documents/1/2/content', { token })).body).toBe('Some words.')
    expect((await server.request('GET', '/context/documents/1/2/chunks', { token })).body).toEqual([])
    expect((await server.request<Problem>('GET', '/context/documents/1/2/text?start=a', { token })).status).toBe(400)
  })

  it('reaches the client with that code', async () => {
    const client = createAlcoveClient({ baseUrl: server.url, access: { token: () => token } })
    const { error } = await client.GET('/context/documents/{contextId}/{docId}/text', {
      params: { path: { contextId: 1, docId: 2 } },
      parseAs: 'text',
    })
    expect(error).toMatchObject({ code: 'ERR_NOT_READY', status: 409 })
  })

  it.each(AGENT_KINDS)(
    'is refused to $name as a document that is not ready, by the tool and as a resource',
    async (kind) => {
      const handler = createMcpHandler(server.engine, { authenticate: () => server.engine.owner })
      const agent = await kind.overHttp('http://alcove.test/mcp', {
        fetch: async (url, init) => await handler(new Request(url, init)),
      })
      const read = async (documentId: number): Promise<string> => {
        const answer = await agent.callTool({ name: 'read_document', arguments: { contextId: 1, documentId } })
        expect(answer.isError).toBe(true)
        return textOf(answer)
      }
      expect(await read(2)).toMatch(NOT_READY)
      expect(await read(2)).toContain('ERR_NOT_READY')
      expect(await read(1)).toContain('(ERR_DOCUMENT_FAILED)')
      await expect(agent.readResource({ uri: 'alcove://contexts/1/documents/2' })).rejects.toThrow('ERR_NOT_READY')
      await agent.close()
    },
  )
})

describe('the text of a document that failed', () => {
  it('is refused by library and REST with the reason of the failure, and not as a wrong input', async () => {
    await expect(session.documents.text(failed)).rejects.toMatchObject({
      code: 'ERR_DOCUMENT_FAILED',
      isTransient: false,
      message: expect.stringMatching(FAILED) as string,
    })
    const { status, body } = await server.request<Problem>('GET', '/context/documents/1/1/text', { token })
    expect([status, body.code, body.detail]).toEqual([409, 'ERR_DOCUMENT_FAILED', expect.stringMatching(FAILED)])
  })

  it('is not ready while a replacement of it is being read', async () => {
    const uuid = await session.documents.replace(failed, { fileName: 'slow too.txt', content: 'Other words.' })
    await expect(session.documents.text(failed)).rejects.toMatchObject({ code: 'ERR_NOT_READY' })
    textExtractor.release()
    await session.documents.whenProcessed(uuid)
    expect(await session.documents.text(uuid)).toBe('Other words.')
    await session.documents.whenProcessed(slow)
    expect(await session.documents.text(slow)).toBe('Some words.')
  })
})
