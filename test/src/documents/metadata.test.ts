import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Context, DocumentFilter, DocumentMetadata, Session } from '../../../src/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT } from '../engine/memory-engine.js'

let memory: MemoryEngine
let session: Session
let context: Context

beforeEach(async () => {
  memory = await memoryEngine()
  session = memory.session
  context = await session.contexts.create({ ...NEW_CONTEXT, settings: { scoreThreshold: 0, topN: 100 } })
})

afterEach(async () => {
  await memory.engine.close()
})

async function upload(
  fileName: string,
  metadata?: unknown,
  content = `The price in ${fileName} is ten.`,
): Promise<string> {
  const uuid = await session.documents.upload(context.id, {
    fileName,
    content,
    metadata: metadata as DocumentMetadata,
  })
  await session.documents.whenProcessed(uuid)
  return uuid
}

/** @param problem the field, and a sentence about it */
const refused = (problem: string) =>
  expect.objectContaining({ code: 'ERR_INVALID_INPUT', message: problem.replace(' ', ': ') }) as Error

describe('metadata at the upload', () => {
  it('are in the document, with every kind of value and any key', async () => {
    const metadata = JSON.parse(
      '{"year":2026,"draft":false,"owner":"Ada","tags":["a","b"],"none":[],"__proto__":"word","constructor":1,"companyId":7}',
    ) as DocumentMetadata
    const uuid = await upload('prices.txt', metadata)
    const document = await session.documents.get(uuid)
    expect(JSON.parse(JSON.stringify(document.metadata))).toEqual(metadata)
    expect(Object.keys(document.metadata)).toContain('__proto__')
    expect(document.contextId).toBe(context.id)
    expect(({} as Record<string, unknown>)['word']).toBeUndefined()
    expect((await session.documents.get(await upload('other.txt'))).metadata).toEqual({})
  })

  it('may be a promise, which is awaited once the content is read', async () => {
    let give: (metadata: DocumentMetadata) => void = () => undefined
    const metadata = new Promise<DocumentMetadata>((resolve) => {
      give = resolve
    })
    async function* content(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('The price is ten.')
      give({ year: 2026 })
    }
    const uuid = await session.documents.upload(context.id, { fileName: 'prices.txt', content: content(), metadata })
    expect((await session.documents.get(uuid)).metadata).toEqual({ year: 2026 })
  })

  it('stay those of the first upload if the same bytes arrive under the same name', async () => {
    const uuid = await upload('prices.txt', { year: 2025 }, 'same')
    expect(await upload('prices.txt', { year: 2026 }, 'same')).toBe(uuid)
    expect((await session.documents.get(uuid)).metadata).toEqual({ year: 2025 })
  })

  it.each<[string, unknown, string]>([
    ['a list', [], 'metadata must be an object of keys and values'],
    ['a date', new Date(0), 'metadata must be an object of keys and values'],
    ['null', { a: null }, 'metadata.a must be a string, a finite number, true, false or a list of strings'],
    ['an object', { a: { b: 1 } }, 'metadata.a must be a string, a finite number, true, false or a list of strings'],
    ['infinity', { a: Infinity }, 'metadata.a must be a string, a finite number, true, false or a list of strings'],
    ['a list of numbers', { tags: ['a', 1] }, 'metadata.tags[1] must be a string'],
    ['U+0000', { a: '\0' }, 'metadata.a must not contain the character U+0000'],
    ['an empty key', { ' ': 1 }, 'metadata has an empty key'],
    ['a control character', { 'a\nb': 1 }, 'metadata has a key with control characters: "a\\nb"'],
    [
      '51 keys',
      Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, at])),
      'metadata must have at most 50 keys',
    ],
    ['16 kB', { a: 'é'.repeat(8_192) }, 'metadata must have at most 16384 bytes as JSON'],
  ])('are refused: %s', async (_case, metadata, message) => {
    await expect(upload('prices.txt', metadata)).rejects.toEqual(refused(message))
    expect(await session.documents.list(context.id)).toEqual([])
  })
})

describe('a change of a document', () => {
  it('merges metadata: null removes a key, and other keys stay', async () => {
    const uuid = await upload('prices.txt', { year: 2025, draft: true, owner: 'Ada' })
    const changed = await session.documents.update(uuid, { metadata: { year: 2026, draft: null, absent: null } })
    expect(changed.metadata).toEqual({ year: 2026, owner: 'Ada' })
    expect((await session.documents.get(uuid)).metadata).toEqual({ year: 2026, owner: 'Ada' })
    expect((await session.documents.update(uuid, {})).metadata).toEqual({ year: 2026, owner: 'Ada' })
    expect((await session.documents.update(uuid, { metadata: null })).metadata).toEqual({})
  })

  it('gives a safe name to documents and hits, until null restores the made one', async () => {
    const uuid = await upload('prices.txt')
    const { displayName } = await session.documents.update(uuid, { displayName: 'Q1/Q2: prices' })
    expect(displayName).toBe('Q1_Q2_ prices')
    const [hit] = await session.search(context.id, 'price')
    expect(hit?.source).toMatchObject({ displayName, originalName: 'prices.txt' })
    expect((await session.documents.update(uuid, { displayName: null })).displayName).toBe('prices.txt')
  })

  it('is in the audit trail, without the values', async () => {
    await session.documents.update(await upload('prices.txt'), { metadata: { secret: 'word' } })
    const { items } = await session.audit.list({ action: 'document.updated' })
    expect(items).toEqual([expect.objectContaining({ targetId: 1, details: { contextId: context.id } })])
  })

  it('is not in the audit trail if it changes nothing', async () => {
    const uuid = await upload('prices.txt', { year: 2026, tags: ['a', 'b'], draft: false })
    await session.documents.update(uuid, { displayName: 'Prices' })
    const changes = async () => (await session.audit.list({ action: 'document.updated' })).items.length
    expect(await changes()).toBe(1)
    for (const same of [
      {},
      { displayName: 'Prices' },
      { metadata: {} },
      { metadata: { year: 2026 } },
      { displayName: 'Prices', metadata: { tags: ['a', 'b'], absent: null, draft: false } },
    ]) {
      expect(await session.documents.update(uuid, same)).toMatchObject({
        displayName: 'Prices',
        metadata: { year: 2026 },
      })
    }
    const content = 'The price in prices.txt is ten.'
    await session.documents.replace(uuid, { content, metadata: { draft: false, tags: ['a', 'b'], year: 2026 } })
    expect(await changes()).toBe(1)
    await session.documents.update(uuid, { metadata: { tags: ['b', 'a'] } })
    await session.documents.update(uuid, { displayName: null })
    await session.documents.replace(uuid, { content, metadata: {} })
    expect(await changes()).toBe(4)
  })

  it('is refused if it is not valid, names the key and changes nothing', async () => {
    const uuid = await upload('prices.txt', { a: 'x'.repeat(10_000) })
    const update = async (changes: object) => await session.documents.update(uuid, changes)
    await expect(update({ metadata: { b: {} } })).rejects.toEqual(
      refused('metadata.b must be a string, a finite number, true, false or a list of strings'),
    )
    await expect(update({ metadata: { b: 'x'.repeat(10_000) } })).rejects.toEqual(
      refused('metadata must have at most 16384 bytes as JSON'),
    )
    await expect(update({ displayName: ' ' })).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
    await expect(update({ name: 'x' })).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
    expect((await session.documents.get(uuid)).metadata).toEqual({ a: 'x'.repeat(10_000) })
  })
})

describe('a filter', () => {
  beforeEach(async () => {
    await upload('2024.txt', { year: 2024, tags: ['final', 'board'], date: '2024-05-01' })
    await upload('2025.txt', { year: 2025, tags: ['draft'], date: '2025-05-01' })
    await upload('2026.txt', { year: 2026, tags: [], date: '2026-05-01' })
    await upload('text.txt', { year: '2026' })
  })

  const cases: [string, DocumentFilter, string[]][] = [
    ['a number', { metadata: { year: 2026 } }, ['2026.txt']],
    ['a string', { metadata: { year: '2026' } }, ['text.txt']],
    ['an item of a list', { metadata: { tags: 'board' } }, ['2024.txt']],
    ['a range', { metadata: { year: { gte: 2024, lt: 2026 } } }, ['2024.txt', '2025.txt']],
    ['a range of dates', { metadata: { date: { gt: '2024-12-31' } } }, ['2025.txt', '2026.txt']],
    ['a key that exists', { metadata: { tags: { exists: true } } }, ['2024.txt', '2025.txt', '2026.txt']],
    ['a key that is missing', { metadata: { tags: { exists: false } } }, ['text.txt']],
    ['no draft', { metadata: { tags: { not: 'draft' } } }, ['2024.txt', '2026.txt', 'text.txt']],
    ['one of several', { metadata: { year: { in: [2024, '2026'] } } }, ['2024.txt', 'text.txt']],
    ['two keys', { metadata: { year: { gt: 2024 }, date: { lt: '2026' } } }, ['2025.txt']],
    ['ids', { documents: [2, 3, 99] }, ['2025.txt', '2026.txt']],
    ['ids and metadata', { documents: [2, 3], metadata: { year: 2025 } }, ['2025.txt']],
    ['nothing', { metadata: { year: 1999 } }, []],
    ['no ids', { documents: [] }, []],
    ['everything', {}, ['2024.txt', '2025.txt', '2026.txt', 'text.txt']],
  ]
  it.each(cases)('selects %s, in lists and in every mode of a search', async (_case, filter, names) => {
    const listed = await session.documents.list(context.id, { filter })
    expect(listed.map(({ originalName }) => originalName)).toEqual(names)
    for (const mode of ['hybrid', 'semantic', 'keyword'] as const) {
      const found = await session.search(context.id, 'price', { filter, mode })
      expect(new Set(found.map(({ source }) => source.originalName))).toEqual(new Set(names))
    }
  })

  it('finds a document by its new metadata from the next search on', async () => {
    const [document] = await session.documents.list(context.id, { filter: { metadata: { year: 2024 } } })
    await session.documents.update(document?.uuid ?? '', { metadata: { year: 1999 } })
    const search = async (year: number) => await session.search(context.id, 'price', { filter: { metadata: { year } } })
    expect(await search(2024)).toEqual([])
    expect(await search(1999)).toHaveLength(1)
  })

  it.each<[unknown, string]>([
    [5, 'filter must be an object, such as {"metadata":{"year":2026}}'],
    [{ year: 5 }, 'filter.year is unknown: expected documents or metadata'],
    [{ documents: [1, 'a'] }, 'filter.documents[1] must be an id, an integer, 1 or more'],
    [{ metadata: { year: { gte: true } } }, 'filter.metadata.year.gte must be a finite number or a string'],
    [{ metadata: { year: { gte: 1, lt: 'b' } } }, 'filter.metadata.year.lt must be a number, as gte is'],
    [
      { metadata: { year: { from: 1 } } },
      'filter.metadata.year.from is unknown: expected one of in, gte, gt, lte, lt, exists, not',
    ],
    [{ metadata: { year: {} } }, 'filter.metadata.year must have at least one of in, gte, gt, lte, lt, exists, not'],
    [{ metadata: { year: { in: 5 } } }, 'filter.metadata.year.in must be a list of values'],
    [
      { metadata: { year: { in: [{}] } } },
      'filter.metadata.year.in[0] must be a string, a finite number, true or false',
    ],
    [{ metadata: { year: { exists: 1 } } }, 'filter.metadata.year.exists must be true or false'],
    [
      { metadata: { year: { not: { exists: true } } } },
      'filter.metadata.year.not.exists is unknown: expected one of in, gte, gt, lte, lt',
    ],
    [
      { metadata: { year: ['a'] } },
      'filter.metadata.year must be a string, a finite number, true or false, or an object of tests, such as {"in":["a","b"]}',
    ],
  ])('is refused if it is wrong in form: %j', async (filter, message) => {
    const wrong = filter as DocumentFilter
    await expect(session.search(context.id, 'price', { filter: wrong })).rejects.toEqual(refused(message))
    await expect(session.documents.list(context.id, { filter: wrong })).rejects.toEqual(refused(message))
  })

  const keysOf = (count: number, condition: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, condition]))
  const listOf = (count: number, units: number) => Array.from({ length: count }, (_, at) => `${at}`.padEnd(units, 'v'))
  it.each<[string, Record<string, unknown>, string]>([
    ['51 keys', keysOf(51, 1), 'must have at most 50 keys'],
    [
      '201 conditions',
      keysOf(41, { gte: 1, lt: 2, not: { gt: 1, lte: 2 }, exists: true }),
      'must have at most 200 conditions',
    ],
    [
      '1,001 values',
      { a: { in: listOf(500, 4) }, b: { not: { in: listOf(501, 4) } } },
      'must have at most 1000 values in lists',
    ],
    ['64 KiB of values', { a: { in: listOf(64, 1_025) } }, 'must have at most 65536 bytes of values'],
    [
      'bytes, not characters',
      { a: 'é'.repeat(16_384), b: { not: 'é'.repeat(16_384) }, c: 'é' },
      'must have at most 65536 bytes of values',
    ],
  ])('is refused at every door if it is too large: %s', async (_case, metadata, problem) => {
    const filter = { metadata } as DocumentFilter
    const expected = refused(`filter.metadata ${problem}`)
    await expect(session.search(context.id, 'price', { filter })).rejects.toEqual(expected)
    await expect(session.searchAll([context.id], 'price', { filter })).rejects.toEqual(expected)
    await expect(session.explain(context.id, 'price', { filter })).rejects.toEqual(expected)
    await expect(session.prepare(context.id, 'price', { filter })).rejects.toEqual(expected)
    await expect(session.documents.list(context.id, { filter })).rejects.toEqual(expected)
  })

  it('is refused for a list that is too long before its values are looked at', async () => {
    const filter = {
      metadata: { a: { in: Array.from({ length: 1_001 }, () => null) } },
    } as unknown as DocumentFilter
    const expected = refused('filter.metadata.a.in must have at most 1000 values')
    await expect(session.search(context.id, 'price', { filter })).rejects.toEqual(expected)
  })

  it('may have 50 keys with 200 conditions, 1,000 values and 64 KiB', async () => {
    const filter = {
      metadata: {
        ...keysOf(48, { gte: 1, lt: 2, not: { gt: 1, lte: 2 } }),
        a: { in: listOf(992, 10), exists: true, not: { in: listOf(8, 6_500), lt: 'a' } },
        b: { in: [], lt: 'z', gte: 'a', not: 1 },
      },
    }
    expect(await session.documents.list(context.id, { filter })).toEqual([])
    expect(await session.search(context.id, 'price', { filter })).toEqual([])
  })
})
