import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createHttpHandler, type HttpHandler } from '../../../adapters/http-server/index.js'
import type { ApiKeyWithSecret, Document, Session } from '../../../src/index.js'
import { startServer, type TestServer } from '../../adapters/http-server/server.js'
import { NEW_CONTEXT } from '../engine/memory-engine.js'

const LINES = Array.from({ length: 6_000 }, (_, number) => `Line ${number} says that a heron nests in reeds.`)

let server: TestServer
let handler: HttpHandler
/** The owner of the context, who may change everything. */
let boss: Session
/** A reader to whom the context is shared. */
let ada: Session
let key: ApiKeyWithSecret
let companyId: number
let accountId: number
let bossId: number
let contextId: number
let long: Document
let count = 0

beforeAll(async () => {
  server = await startServer()
  handler = createHttpHandler(server.engine)
}, 60_000)

afterAll(async () => {
  await server.close()
})

/** Each test has a company of its own, and a shared context with a long document and many short ones. */
beforeEach(async () => {
  const { administration, owner } = server.engine
  companyId = (await administration.companies.create({ name: `Reeds ${(count += 1)}`, parentId: owner.companyId })).id
  const accounts = await administration.accounts.list()
  accountId = accounts.find((one) => one.customerId === companyId && one.application === 'assistant')?.id ?? 0
  const reader = await administration.users.add({ email: `ada${count}@example.com`, companyId })
  key = await administration.apiKeys.create({ companyId, userId: reader.id, sight: 'user' })
  ada = server.engine.as({ companyId, userId: key.userId, accountId, sight: 'user' })
  bossId = (await administration.users.add({ email: `boss${count}@example.com`, companyId })).id
  boss = server.engine.as({ companyId, userId: bossId, accountId, sight: 'account' })
  contextId = (await boss.contexts.create(NEW_CONTEXT)).id
  await boss.contexts.share(contextId, { shareState: 1 })
  const uuid = await boss.documents.upload(contextId, { fileName: 'birds.txt', content: LINES.join('\n') })
  const names = Array.from({ length: 8 }, (_, number) => `note-${number}.txt`)
  for (const fileName of names) await boss.documents.upload(contextId, { fileName, content: fileName })
  long = await boss.documents.whenProcessed(uuid)
}, 60_000)

const LOST: Readonly<Record<string, () => Promise<unknown>>> = {
  'its context was made private': () => boss.contexts.share(contextId, { shareState: 0 }),
  'its context was deleted': () => boss.contexts.delete(contextId),
  'the user was disabled': () => server.engine.administration.users.disable(key.userId),
  'the permission was disabled': async () => {
    const { permissions } = server.engine.administration
    const own = (await permissions.list()).filter(({ userIdentityId }) => userIdentityId === key.userId)
    for (const { id } of own) await permissions.toggle(id)
  },
  'the account was disabled': () => server.engine.administration.accounts.setActive(accountId, false),
  'the company was disabled': () => server.engine.administration.companies.disable(companyId),
}
const GONE: Readonly<Record<string, () => Promise<unknown>>> = {
  ...LOST,
  'the document was deleted': () => boss.documents.delete(long.uuid),
  'the document was replaced': async () => {
    const uuid = await boss.documents.replace({ contextId, id: long.id }, { fileName: 'b.txt', content: 'Other text.' })
    await boss.documents.whenProcessed(uuid)
  },
}

/** A reader that has taken the first part of an answer. */
class LongAnswer {
  readonly #parts: AsyncIterator<unknown>

  private constructor(parts: AsyncIterable<unknown>) {
    this.#parts = parts[Symbol.asyncIterator]()
  }

  static async begin(parts: AsyncIterable<unknown>): Promise<LongAnswer> {
    const answer = new LongAnswer(parts)
    expect((await answer.#parts.next()).done).toBe(false)
    return answer
  }

  /** @returns the number of further parts, and the code of the error that ends them; `whole` without an error */
  async rest(): Promise<{ readonly parts: number; readonly code: string }> {
    let parts = 0
    try {
      while ((await this.#parts.next()).done !== true) parts += 1
      return { parts, code: 'whole' }
    } catch (error) {
      return { parts, code: (error as { code?: string }).code ?? 'aborted' }
    }
  }
}

async function overHttp(part: string): Promise<LongAnswer> {
  const authorization = `Bearer ${await server.token('assistant', key)}`
  const url = `http://localhost/context/documents/${contextId}${part}`
  const answer = await handler(new Request(url, { headers: { authorization } }))
  expect(answer.status).toBe(200)
  return await LongAnswer.begin(answer.body ?? expect.fail('no body'))
}

const REFUSED = /^ERR_(CONTEXT_NOT_FOUND|DOCUMENT_NOT_FOUND|UNAUTHENTICATED|FORBIDDEN)$/

it.each(Object.keys(GONE))('a reader of a document gets at most one more part of it after %s', async (name) => {
  const { documents } = ada
  const readers = {
    content: await LongAnswer.begin(await documents.open(long.uuid)),
    text: await LongAnswer.begin((await documents.openText(long.uuid)).pieces),
    chunks: await LongAnswer.begin((await documents.chunkPage(long.uuid, { limit: 100 })).items),
  }
  const clients = { content: await overHttp(`/${long.id}/content`), text: await overHttp(`/${long.id}/text`) }
  await GONE[name]?.()
  for (const [kind, reader] of Object.entries(readers)) {
    const { parts, code } = await reader.rest()
    expect.soft(code, kind).toMatch(REFUSED)
    expect.soft(parts, kind).toBeLessThanOrEqual(1)
  }
  for (const [kind, client] of Object.entries(clients)) {
    const { parts, code } = await client.rest()
    expect.soft(code, `HTTP ${kind}`).toBe('aborted')
    expect.soft(parts, `HTTP ${kind}`).toBeLessThanOrEqual(1)
  }
})

it.each(Object.keys(LOST))('a reader of lists and states gets at most one more item after %s', async (name) => {
  const readers = {
    documents: await LongAnswer.begin(ada.documents.entries(contextId)),
    states: await LongAnswer.begin(ada.documents.watch(contextId)),
  }
  await LOST[name]?.()
  // A state leaves if the rights were checked within the last 5 ms.
  await setTimeout(10)
  for (const [kind, reader] of Object.entries(readers)) {
    const { parts, code } = await reader.rest()
    expect.soft(code, kind).toMatch(REFUSED)
    expect.soft(parts, kind).toBeLessThanOrEqual(1)
  }
})

it.each([
  ['the API key was revoked', () => server.engine.administration.apiKeys.revoke(key.id)],
  ['the private context was handed over', (id: number) => boss.contexts.handOver(id, { toUserId: bossId })],
])('a client of a document that reads slowly is cut after %s', async (_, end) => {
  const { id } = await ada.contexts.create(NEW_CONTEXT)
  // Much more than the buffers of two sockets hold.
  const content = `<p>A heron nests in reeds.</p><!--${'reeds '.repeat(4_000_000)}-->`
  const uuid = await ada.documents.upload(id, { fileName: 'birds.html', content })
  const { id: documentId } = await ada.documents.whenProcessed(uuid)
  const headers = { authorization: `Bearer ${await server.token('assistant', key)}` }
  const url = `${server.url}/context/documents/${id}/${documentId}/content`
  const answer = await fetch(url, { headers })
  expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(content.length)])
  const reader = await LongAnswer.begin(answer.body ?? expect.fail('no body'))
  await end(id)
  expect((await reader.rest()).code).not.toBe('whole')
  expect((await fetch(url, { headers })).status).toBeGreaterThanOrEqual(400)
})

it('a reader of contexts gets none that was made private meanwhile', async () => {
  const other = await boss.contexts.create(NEW_CONTEXT)
  await boss.contexts.share(other.id, { shareState: 1 })
  const reader = await LongAnswer.begin(ada.contexts.entries())
  await boss.contexts.share(other.id, { shareState: 0 })
  expect(await reader.rest()).toEqual({ parts: 0, code: 'whole' })
})
