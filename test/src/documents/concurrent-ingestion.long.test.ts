import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLocalEngine } from '../../../adapters/local/index.js'
import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'
import { AlcoveError, type Engine, type Session } from '../../../src/index.js'
import type { EmbedOptions } from '../../../src/ports/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { NEW_CONTEXT } from '../engine/memory-engine.js'

/** A slow model that counts its texts, and fails as often as the test sets. */
class SlowModel extends MemoryEmbeddingModel {
  readonly embedded: string[] = []
  failures = 0
  delayMs = 20

  override async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array> {
    if (options.kind === 'passage') {
      await new Promise((resolve) => setTimeout(resolve, this.delayMs))
      if (this.failures > 0) {
        this.failures -= 1
        throw new Error('the model stumbles')
      }
      this.embedded.push(...texts)
    }
    return await super.embed(texts, options)
  }
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let engine: Engine
let session: Session
let model: SlowModel

beforeEach(async () => {
  folder = await temporaryFolder()
  model = new SlowModel()
  engine = await openLocalEngine({ dataDir: folder.path, embeddingModels: [model] })
  session = engine.as(engine.owner)
})

afterEach(async () => {
  await engine.close()
  await folder.remove()
})

/** A text of a hundred chunks without two equal windows. */
const REPORT = Array.from({ length: 2_000 }, (_, number) => `Room${number} has lamp${number * 7}.`).join(' ')

async function newContext(name: string): Promise<number> {
  const settings = { chunkSizeTokens: 60, overlap: 0 }
  return (await session.contexts.create({ ...NEW_CONTEXT, name, settings })).id
}

async function upload(contextId: number, fileName: string, text: string): Promise<string> {
  return await session.documents.upload(contextId, { fileName, content: Buffer.from(text) })
}

describe('a context that receives documents at the same time', () => {
  it('stores each of 50 uploads once, 20 with the same bytes and name and 10 under other names, and embeds them once', async () => {
    const contextId = await newContext('Same')
    const uuids = await Promise.all([
      ...Array.from({ length: 20 }, () => upload(contextId, 'report.txt', REPORT)),
      ...Array.from({ length: 10 }, (_, number) => upload(contextId, `copy ${number}.txt`, REPORT)),
      ...Array.from({ length: 20 }, (_, number) =>
        upload(contextId, `other ${number}.txt`, `Another file: ${number}.`),
      ),
    ])
    expect(new Set(uuids.slice(0, 20)).size).toBe(1)
    await Promise.all(uuids.map((uuid) => session.documents.whenProcessed(uuid)))

    const documents = await session.documents.list(contextId)
    expect(documents).toHaveLength(1 + 10 + 20)
    const reports = documents.filter(({ originalName }) => !originalName.startsWith('other'))
    expect(new Set(reports.map(({ contentHash, chunks }) => `${contentHash} ${chunks}`)).size).toBe(1)
    expect(model.embedded.filter((text) => text.includes('lamp7.'))).toHaveLength(1)
    expect(model.embedded.length).toBe(new Set(model.embedded).size)

    const receipts = await Promise.all(
      reports.map(async ({ fileName }) => (await session.documents.get(fileName)).receipt),
    )
    const windows = receipts[0]?.windows ?? 0
    expect(windows).toBeGreaterThan(50)
    const computed = receipts.reduce((sum, receipt) => sum + (receipt?.windows ?? 0) - (receipt?.windowsReused ?? 0), 0)
    expect(computed).toBe(windows)
    const hits = await session.search(contextId, 'Room1999 has lamp13993.', {
      topN: 11,
      scoreThreshold: 0,
      collapse: false,
    })
    expect(new Set(hits.map(({ docId }) => docId)).size).toBe(11)
    expect(new Set(hits.map(({ content }) => content)).size).toBe(1)
  })

  it('lets a document embed the windows that another one with the same text failed to embed', async () => {
    const contextId = await newContext('Stumble')
    model.failures = 1
    const uuids = await Promise.all(['a.txt', 'b.txt', 'c.txt', 'd.txt'].map((name) => upload(contextId, name, REPORT)))
    const documents = await Promise.all(uuids.map((uuid) => session.documents.whenProcessed(uuid)))
    expect(documents.map(({ error }) => error)).toEqual([null, null, null, null])
    expect(model.embedded.length).toBe(new Set(model.embedded).size)
  })

  it('keeps all documents with the same text when one of them is deleted', async () => {
    const contextId = await newContext('Deleted')
    model.delayMs = 200
    const [first = '', second = ''] = await Promise.all(
      ['a.txt', 'b.txt'].map((name) => upload(contextId, name, REPORT)),
    )
    await new Promise((resolve) => setTimeout(resolve, 100))
    await session.documents.delete(first)
    expect((await session.documents.whenProcessed(second)).error).toBeNull()
    await expect(session.documents.get(first)).rejects.toBeInstanceOf(AlcoveError)
  })
})

describe('a long queue', () => {
  it('of one context does not hold up another context', async () => {
    model.delayMs = 100
    const busy = await newContext('Busy')
    const quiet = await newContext('Quiet')
    const queued = await Promise.all(
      Array.from({ length: 40 }, (_, number) => upload(busy, `${number}.txt`, `File number ${number} of the queue.`)),
    )
    const uuid = await upload(quiet, 'one.txt', 'The only file of a quiet context.')
    await session.documents.whenProcessed(uuid)
    const completed = (await session.documents.list(busy)).filter((document) => document.completed !== null).length
    expect(completed).toBeLessThan(20)
    await Promise.all(queued.map((one) => session.documents.whenProcessed(one)))
  })

  it('of one company, in however many contexts, does not hold up another company', async () => {
    model.delayMs = 100
    const contexts = await Promise.all(Array.from({ length: 20 }, (_, number) => newContext(`Busy ${number}`)))
    const company = await engine.administration.companies.create({ name: 'Quiet', parentId: engine.owner.companyId })
    const accounts = await engine.administration.accounts.list()
    const account = accounts.find(
      ({ customerId, application }) => customerId === company.id && application === 'assistant',
    )
    const user = await engine.administration.users.add({
      email: 'quiet@example.com',
      name: 'Quiet One',
      companyId: company.id,
    })
    const other = engine.as({ companyId: company.id, userId: user.id, accountId: account?.id ?? 0 })
    const quiet = await other.contexts.create(NEW_CONTEXT)
    const queued = await Promise.all(
      contexts.flatMap((id) => [upload(id, 'a.txt', `First of ${id}.`), upload(id, 'b.txt', `Second of ${id}.`)]),
    )
    const uuid = await other.documents.upload(quiet.id, { fileName: 'one.txt', content: Buffer.from('A quiet file.') })
    await other.documents.whenProcessed(uuid)
    const lists = await Promise.all(contexts.map((id) => session.documents.list(id)))
    expect(lists.flat().filter(({ completed }) => completed !== null).length).toBeLessThan(20)
    await Promise.all(queued.map((one) => session.documents.whenProcessed(one)))
  })
})
