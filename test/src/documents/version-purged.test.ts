import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ListPage, Session } from '../../../src/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'
import { InterruptedPorts } from './interrupted-ports.js'

const TEXT = Array.from({ length: 60 }, (_, number) => `Line ${number} says that a heron nests in reeds.`).join('\n\n')
const NOT_FOUND = { code: 'ERR_DOCUMENT_NOT_FOUND' }

let memory: MemoryEngine
let ports: InterruptedPorts
let session: Session
let contextId: number
let uuid: string

beforeEach(async () => {
  ports = new InterruptedPorts()
  memory = await memoryEngine({ storage: ports.storage, fileStore: ports.fileStore })
  session = memory.session
  contextId = (await session.contexts.create({ ...NEW_CONTEXT, settings: { chunkSizeTokens: 20, overlap: 0 } })).id
  uuid = await uploadText(session, contextId, 'birds.txt', TEXT)
})

afterEach(async () => {
  await memory.engine.close()
})

async function itemsOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

const READS: Readonly<Record<string, () => Promise<unknown>>> = {
  text: async () => await session.documents.text(uuid),
  'a part of the text': async () => await session.documents.text(uuid, { start: 1_000, end: 1_100 }),
  openText: async () => await itemsOf((await session.documents.openText(uuid)).pieces),
  open: async () => await itemsOf(await session.documents.open(uuid)),
  chunks: async () => await session.documents.chunks(uuid),
  chunkPage: async () => await itemsOf((await session.documents.chunkPage(uuid, { limit: 10, after: 4 })).items),
}

const ENDS: Readonly<Record<string, () => Promise<void>>> = {
  deleted: async () => {
    await session.documents.delete(uuid)
    await memory.engine.whenCleared()
  },
  'deleted with its context': async () => {
    await session.contexts.delete(contextId)
    await memory.engine.whenCleared()
  },
  replaced: async () => {
    const replacement = await session.documents.replace(uuid, { content: `${TEXT}\n\nA last line.` })
    await session.documents.whenProcessed(replacement)
    await memory.engine.whenCleared()
  },
}

describe.each(Object.keys(ENDS))('a version that is %s and purged while a caller reads it', (end) => {
  // Q9
  it.each(Object.keys(READS))('is not found: %s', async (read) => {
    const reading = ports.interrupt(
      async () => await ENDS[end]?.(),
      async () => await READS[read]?.(),
    )
    await expect(reading).rejects.toMatchObject(NOT_FOUND)
  })

  // Q9
  it('is not found by a reader that has a part of its chunks', async () => {
    const { items }: ListPage<unknown> = await session.documents.chunkPage(uuid, { limit: 100 })
    const chunks = items[Symbol.asyncIterator]()
    expect((await chunks.next()).done).toBe(false)
    await ENDS[end]?.()
    await expect(itemsOf({ [Symbol.asyncIterator]: () => chunks })).rejects.toMatchObject(NOT_FOUND)
  })

  // Q9
  it('is not found by a reader that has a part of its text', async () => {
    const long = `${TEXT}\n\n`.repeat(40)
    uuid = await uploadText(session, contextId, 'long.txt', long)
    const { pieces } = await session.documents.openText(uuid)
    const texts = pieces[Symbol.asyncIterator]()
    expect((await texts.next()).done).toBe(false)
    await ENDS[end]?.()
    await expect(itemsOf({ [Symbol.asyncIterator]: () => texts })).rejects.toMatchObject(NOT_FOUND)
  })
})

it('a file that is lost is reported as missing if its document stays', async () => {
  const reading = ports.interrupt(
    async () => await ports.fileStore.delete(uuid),
    async () => await READS['open']?.(),
  )
  await expect(reading).rejects.toMatchObject({ code: 'ERR_FILE_MISSING' })
})
