import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryStorage } from '../../../adapters/memory/index.js'
import { StorageError } from '../../../src/ports/index.js'
import { DOCUMENT_EVENT_TYPES, verifyWebhook } from '../../../src/webhooks/index.js'
import { NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'
import { HookedStorage } from './hooked-storage.js'
import { type OutboxEngine, outboxEngine } from './outbox-engine.js'

const BROKEN = new Uint8Array([0x61, 0xff, 0xfe])

let opened: OutboxEngine
let contextId: number
/** The calls of each transaction that was committed. */
let transactions: (readonly string[])[]
/** Throws instead of a call, once. */
let failAt: string | undefined

beforeEach(async () => {
  transactions = []
  failAt = undefined
  const storage = new HookedStorage(
    new MemoryStorage(),
    (call, go) => {
      if (call !== failAt) return go()
      failAt = undefined
      throw new StorageError('the database is away', { isTransient: true })
    },
    (calls, moment) => {
      if (moment === 'after-commit') transactions.push(calls)
    },
  )
  opened = await outboxEngine(storage)
  contextId = (await opened.session.contexts.create(NEW_CONTEXT)).id
})

afterEach(async () => {
  await opened.engine.close()
})

async function add(eventTypes: readonly string[] | null = DOCUMENT_EVENT_TYPES): Promise<string> {
  const { destinations } = opened.engine.administration
  return (await destinations.create({ url: 'https://hooks.example.com/', eventTypes })).secret
}

interface Sent {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The type and the data of each event, in the order of their recording. */
async function sent(): Promise<readonly Sent[]> {
  const log = await opened.whenSettled()
  return log.map(({ payload }) => {
    const { type, data } = JSON.parse(payload) as Sent
    return { type, data }
  })
}

async function uploadBroken(): Promise<string> {
  const uuid = await opened.session.documents.upload(contextId, { fileName: 'broken.txt', content: BROKEN })
  await expect(opened.session.documents.whenProcessed(uuid)).rejects.toMatchObject({ code: 'ERR_UNDECODABLE_TEXT' })
  return uuid
}

// D24
describe('events of documents', () => {
  it('say that a document is completed, has failed or was deleted, and are signed like every other', async () => {
    const secret = await add()
    const uuid = await uploadText(opened.session, contextId, 'folder/hand\u202Ebook.txt', 'Leave is paid for 12 weeks.')
    const broken = await uploadBroken()
    const { documents } = opened.session
    const { id: docId } = await documents.get(uuid)
    const { error, id: brokenId } = await documents.get(broken)
    await documents.delete(uuid)
    const document = { contextId, docId, uuid, originalName: 'hand\uFFFDbook.txt' }
    expect(await sent()).toEqual([
      { type: 'document.completed', data: { ...document, replacement: false, chunks: 1 } },
      {
        type: 'document.failed',
        data: { contextId, docId: brokenId, uuid: broken, originalName: 'broken.txt', replacement: false, error },
      },
      { type: 'document.deleted', data: document },
    ])
    const [request] = opened.httpTransport.requests
    const event = await verifyWebhook(request?.body ?? '', request?.headers ?? {}, secret)
    if (event.type !== 'document.completed') throw new Error(`unexpected ${event.type}`)
    expect([event.event_category, event.data.chunks]).toEqual(['document', 1])
  })

  it('are not recorded where no destination names them, and cost one read', async () => {
    await add(null)
    await uploadText(opened.session, contextId, 'one.txt', 'One.')
    await uploadBroken()
    expect(await sent()).toEqual([])
    expect(transactions.flat()).not.toContain('events.insert')
  })

  it('are not recorded where only another company names them', async () => {
    const { destinations, companies } = opened.engine.administration
    const child = await companies.create({ name: 'Child', parentId: 1 })
    const eventTypes = DOCUMENT_EVENT_TYPES
    await destinations.create({ url: 'https://child.example.com/', eventTypes, customerId: child.id })
    await uploadText(opened.session, contextId, 'one.txt', 'One.')
    expect(transactions.flat()).not.toContain('events.insert')
    await destinations.create({ url: 'https://own.example.com/', eventTypes })
    await uploadText(opened.session, contextId, 'two.txt', 'Two.')
    expect(transactions.flat()).toContain('events.insert')
  })

  it('reach only destinations that name the type, of the company or of one above that includes it', async () => {
    const { administration } = opened.engine
    const { destinations, companies } = administration
    const child = await companies.create({ name: 'Child', parentId: 1 })
    await add(['document.deleted'])
    const types = { eventTypes: ['document.completed', 'run.failed'] }
    await destinations.create({ url: 'https://other.example.com/', ...types, customerId: child.id })
    const named = await destinations.create({ url: 'https://named.example.com/', ...types })
    await uploadText(opened.session, contextId, 'one.txt', 'One.')
    const log = await opened.whenSettled()
    expect(log.map(({ destinationId, type }) => [destinationId, type])).toEqual([[named.id, 'document.completed']])
  })

  it('are written in the transaction that makes them true: a rollback takes both', async () => {
    await add()
    const uuid = await uploadText(opened.session, contextId, 'one.txt', 'One.')
    const completing = transactions.find((calls) => calls.includes('events.insert'))
    expect(completing).toEqual(expect.arrayContaining(['documents.update', 'deliveries.fanOut', 'jobs.enqueueAll']))

    failAt = 'deliveries.fanOut'
    await expect(opened.session.documents.delete(uuid)).rejects.toMatchObject({ code: 'ERR_STORAGE' })
    expect(await opened.session.documents.get(uuid)).toMatchObject({ uuid })
    expect(await sent()).toHaveLength(1)

    // A document whose completion rolls back is processed once more, and is completed once.
    failAt = 'deliveries.fanOut'
    await uploadText(opened.session, contextId, 'two.txt', 'Two.')
    expect(failAt).toBeUndefined()
    expect((await sent()).map(({ type }) => type)).toEqual(['document.completed', 'document.completed'])
  })

  it('of a replacement say so: the document stays, and nothing is deleted', async () => {
    await add()
    const { documents } = opened.session
    const uuid = await uploadText(opened.session, contextId, 'one.txt', 'One.')
    const { id: docId } = await documents.get(uuid)
    const failed = await documents.replace(uuid, { content: BROKEN })
    await expect(documents.whenProcessed(failed)).rejects.toMatchObject({ code: 'ERR_UNDECODABLE_TEXT' })
    // This one also removes the failed replacement.
    const next = await documents.replace(uuid, { fileName: 'new.txt', content: Buffer.from('Two.') })
    await documents.whenProcessed(next)
    expect((await sent()).slice(1)).toMatchObject([
      { type: 'document.failed', data: { docId, uuid: failed, originalName: 'one.txt', replacement: true } },
      { type: 'document.completed', data: { docId, uuid: next, originalName: 'new.txt', replacement: true } },
    ])
  })

  it('are silent about a re-index, and about documents that go with their context', async () => {
    const { contexts } = opened.session
    await uploadText(opened.session, contextId, 'one.txt', 'Leave is paid for twelve weeks in the handbook.')
    await add()
    await contexts.update(contextId, { settings: { chunkSizeTokens: 100 } })
    await contexts.whenReindexed(contextId)
    await contexts.delete(contextId)
    await opened.engine.whenCleared()
    expect(await sent()).toEqual([])
  })

  it('come again when a document is processed again', async () => {
    await add()
    const uuid = await uploadBroken()
    await opened.session.documents.retry(uuid)
    await vi.waitFor(async () => expect(await opened.log()).toHaveLength(2), { timeout: 5_000, interval: 10 })
    expect((await sent()).map(({ type }) => type)).toEqual(['document.failed', 'document.failed'])
  })
})
