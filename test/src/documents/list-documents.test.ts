import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Document, DocumentListQuery, Session } from '../../../src/index.js'
import { foldName } from '../../../src/ports/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

let memory: MemoryEngine
let session: Session
let contextId: number

beforeEach(async () => {
  memory = await memoryEngine()
  session = memory.session
  contextId = (await session.contexts.create(NEW_CONTEXT)).id
})

afterEach(async () => {
  await memory.engine.close()
})

async function seed(...names: readonly string[]): Promise<void> {
  for (const name of names) await uploadText(session, contextId, name, `The price in ${name} is ten.`)
}

async function fail(name: string): Promise<void> {
  const uuid = await session.documents.upload(contextId, { fileName: name, content: ' ' })
  await session.documents.whenProcessed(uuid).catch(() => undefined)
}

const namesOf = (documents: readonly Document[]): string[] => documents.map(({ displayName }) => displayName)
const names = async (query?: DocumentListQuery): Promise<string[]> =>
  namesOf(await session.documents.list(contextId, query))

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const read: Item[] = []
  for await (const item of items) read.push(item)
  return read
}

/** Reads the whole list by pages, as their ends say. */
async function pages(query: DocumentListQuery): Promise<string[][]> {
  const read: string[][] = []
  let next: DocumentListQuery | undefined = query
  while (next !== undefined) {
    const page = await session.documents.page(contextId, next)
    read.push(namesOf(await all(page.items)))
    next =
      page.nextAfter === null
        ? undefined
        : {
            ...query,
            after: page.nextAfter,
            ...(page.nextAfterName !== null && { afterName: page.nextAfterName }),
          }
  }
  return read
}

describe('a list of documents', () => {
  it('is in the order of the ids, of the ids downwards, or of the names', async () => {
    await seed('b.txt', 'Äpfel.txt', 'C.txt', 'a.txt')
    expect(await names()).toEqual(['b.txt', 'Äpfel.txt', 'C.txt', 'a.txt'])
    expect(await names({ order: 'oldest' })).toEqual(await names())
    expect(await names({ order: 'newest' })).toEqual(['a.txt', 'C.txt', 'Äpfel.txt', 'b.txt'])
    // In the order of code points: letters with accents come last.
    expect(await names({ order: 'name' })).toEqual(['a.txt', 'b.txt', 'C.txt', 'Äpfel.txt'])
  })

  it('is read by pages, by parts and item by item in each order', async () => {
    await seed('b.txt', 'd.txt', 'C.txt', 'a.txt', 'e.txt')
    for (const order of ['oldest', 'newest', 'name'] as const) {
      const expected = await names({ order })
      expect(await pages({ order, limit: 2 })).toEqual([expected.slice(0, 2), expected.slice(2, 4), expected.slice(4)])
      expect(namesOf(await all(session.documents.entries(contextId, { order })))).toEqual(expected)
      const last = (await session.documents.list(contextId, { order, limit: 2 })).at(-1)
      const behind = { order, after: last?.id ?? 0, afterName: last?.displayName ?? '' }
      expect(await names(behind)).toEqual(expected.slice(2))
    }
  })

  it('keeps its place in the order of names when the last document of a page is deleted', async () => {
    await seed('b.txt', 'd.txt', 'C.txt', 'a.txt')
    const query = { order: 'name', limit: 2 } as const
    const { items, nextAfter, nextAfterName } = await session.documents.page(contextId, query)
    const read = await all(items)
    await session.documents.delete(read.at(-1)?.uuid ?? '')
    await seed('A2.txt', 'cc.txt')
    const next = await session.documents.page(contextId, {
      ...query,
      after: nextAfter ?? 0,
      afterName: nextAfterName ?? '',
    })
    expect(namesOf([...read, ...(await all(next.items))])).toEqual(['a.txt', 'b.txt', 'C.txt', 'cc.txt'])
  })

  it('has the documents in some states, also those of replacements', async () => {
    await seed('good.txt', 'both.txt')
    await fail('bad.txt')
    const [both] = await session.documents.list(contextId, { name: 'both' })
    const uuid = await session.documents.replace(both?.uuid ?? '', { fileName: 'both.txt', content: ' ' })
    await session.documents.whenProcessed(uuid).catch(() => undefined)
    expect(await names({ status: ['failed'] })).toEqual(['both.txt', 'bad.txt'])
    expect(await names({ status: ['completed'] })).toEqual(['good.txt', 'both.txt'])
    expect(await names({ status: ['completed', 'failed'], order: 'newest' })).toEqual([
      'bad.txt',
      'both.txt',
      'good.txt',
    ])
    expect(await names({ status: ['waiting', 'processing'] })).toEqual([])
    expect(await names({ status: ['failed'], name: 'BAD', filter: { metadata: {} } })).toEqual(['bad.txt'])
  })

  it('has the documents with a part of a name, letter by letter', async () => {
    await seed('100%.txt', '1000.txt', 'Straße_1.txt', 'Strasse-1.txt')
    expect(await names({ name: '0%' })).toEqual(['100%.txt'])
    expect(await names({ name: 'e_1' })).toEqual(['Straße_1.txt'])
    expect(await names({ name: 'STRASSE' })).toEqual(['Straße_1.txt', 'Strasse-1.txt'])
    const [first] = await session.documents.list(contextId)
    await session.documents.update(first?.uuid ?? '', { displayName: 'Prices' })
    expect(await names({ name: 'prices' })).toEqual(['Prices'])
    expect(await names({ name: '0%.TXT' })).toEqual(['Prices'])
  })

  it.each<[DocumentListQuery, string]>([
    [{ order: 'size' } as never, 'order: must be one of "oldest", "newest", "name"'],
    [{ status: ['broken'] } as never, 'status[0]: must be one of "waiting", "processing", "completed", "failed"'],
    [{ status: 'failed' } as never, 'status: must be an array'],
    [{ name: 5 } as never, 'name: must be a string'],
    [{ order: 'name', after: 3 }, 'afterName: must be the displayName of the last document'],
    [{ sort: 'name' } as never, 'sort'],
  ])('refuses %j', async (query, message) => {
    const refusal = expect.objectContaining({
      code: 'ERR_INVALID_INPUT',
      message: expect.stringContaining(message) as string,
    }) as Error
    await expect(session.documents.list(contextId, query)).rejects.toThrow(refusal)
    await expect(session.documents.page(contextId, query)).rejects.toThrow(refusal)
    await expect(all(session.documents.entries(contextId, query))).rejects.toThrow(refusal)
  })
})

it('a folded name stays the same when it is folded a second time, and each part of it is found', () => {
  const marks = ['', '\u0301', '\u0323', '\u0345', '\u0307\u0323']
  for (let point = 1; point <= 0x1_ff_ff; point += 1) {
    if (point >= 0xd8_00 && point <= 0xdf_ff) continue
    for (const mark of point < 0x25_00 ? marks : ['']) {
      const folded = foldName(String.fromCodePoint(point) + mark)
      if (foldName(folded) !== folded) expect({ point, mark, folded }).toBe('stays the same')
    }
  }
})
