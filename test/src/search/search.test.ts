import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryVectorIndex } from '../../../adapters/memory/index.js'
import type { Context, Session } from '../../../src/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

let memory: MemoryEngine
let session: Session
let context: Context

beforeEach(async () => {
  memory = await memoryEngine()
  session = memory.session
  context = await session.contexts.create({ ...NEW_CONTEXT, settings: { chunkSizeTokens: 200, overlap: 0 } })
})

afterEach(async () => {
  await memory.engine.close()
})

describe('a search', () => {
  it('finds the nearest chunk, with its document and similarity', async () => {
    await uploadText(session, context.id, 'a.txt', 'Parental leave takes eighteen weeks.')
    await uploadText(session, context.id, 'b.txt', 'The espresso machine shows an error.')
    const results = await session.search(context.id, 'error of the espresso machine')
    expect(results[0]).toMatchObject({
      id: 2,
      docId: 2,
      content: 'The espresso machine shows an error.',
      similarity: expect.closeTo(0.8, 0) as number,
    })
    expect(results).toHaveLength(2)
  })

  it('gives identical text a similarity of nearly 1, and none outside 0 to 1', async () => {
    for (const text of ['one two three', 'four five six', 'seven eight nine'])
      await uploadText(session, context.id, `${text}.txt`, text)
    const results = await session.search(context.id, 'one two three')
    expect(results[0]?.similarity).toBeGreaterThanOrEqual(0.95)
    for (const { similarity } of results) {
      expect(similarity).toBeGreaterThanOrEqual(0)
      expect(similarity).toBeLessThanOrEqual(1)
    }
    expect(results.map(({ similarity }) => similarity)).toEqual(
      results.map(({ similarity }) => similarity).sort((one, other) => other - one),
    )
  })

  it('scores a chunk by its best window, and returns it once', async () => {
    const filler = 'nothing of interest stands here at all '.repeat(20)
    await uploadText(session, context.id, 'long.txt', `${filler} the wardrobe leads to a snowy forest ${filler}`)
    const results = await session.search(context.id, 'the wardrobe leads to a snowy forest', { topN: 10 })
    expect(new Set(results.map(({ id }) => id)).size).toBe(results.length)
    expect(results[0]?.content).toContain('wardrobe')
    expect(results[0]?.similarity).toBeGreaterThan(results[1]?.similarity ?? 1)
  })

  it('returns topN results, from the context or from the options', async () => {
    for (let number = 0; number < 12; number += 1)
      await uploadText(session, context.id, `${number}.txt`, `word number ${number}`)
    expect(await session.search(context.id, 'word number')).toHaveLength(5)
    expect(await session.search(context.id, 'word number', { topN: 12 })).toHaveLength(12)
    expect(await session.search(context.id, 'word number', { topN: 1 })).toHaveLength(1)
    await session.contexts.update(context.id, { ...NEW_CONTEXT, settings: { topN: 7 } })
    expect(await session.search(context.id, 'word number')).toHaveLength(7)
  })

  it('drops results below the threshold, from the context or from the options', async () => {
    await uploadText(session, context.id, 'a.txt', 'apples pears plums')
    await uploadText(session, context.id, 'b.txt', 'engines wheels brakes')
    const found = async (scoreThreshold: number): Promise<number[]> =>
      (await session.search(context.id, 'apples pears plums', { scoreThreshold })).map(({ docId }) => docId)
    expect(await found(0)).toEqual([1, 2])
    expect(await found(0.9)).toEqual([1])
    await session.contexts.update(context.id, { ...NEW_CONTEXT, settings: { scoreThreshold: 0.9 } })
    expect(await session.search(context.id, 'apples pears plums')).toHaveLength(1)
  })

  it('reads a prompt that is longer than a window in windows', async () => {
    const needles = 'needle thread pin cushion '.repeat(15)
    await uploadText(session, context.id, 'a.txt', needles)
    const [result] = await session.search(context.id, `${'hay straw grass barn '.repeat(60)} ${needles}`)
    expect(result?.similarity).toBeGreaterThan(0.9)
  })

  it('of an empty context finds nothing', async () => {
    expect(await session.search(context.id, 'anything')).toEqual([])
  })

  // Q1
  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['blank', ' \n\t'],
    ['a number', 7],
    ['an array', ['x']],
    ['null', null],
    ['an object', { prompt: 'x' }],
  ])('refuses a prompt that is %s', async (_what, prompt) => {
    await expect(session.search(context.id, prompt as string)).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      field: 'prompt',
    })
  })

  it('refuses unknown options, and lists the valid ones', async () => {
    await expect(session.search(context.id, 'text', { top: 1 } as object)).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      message:
        'top: unknown option "top"; expected one of mode, topN, scoreThreshold, filter, collapse, words, minEvidence, history, signal',
    })
  })

  // Q2
  it('refuses a prompt of 1 MB before it is embedded', async () => {
    await expect(session.search(context.id, 'x'.repeat(1_000_000))).rejects.toThrow(
      'prompt: must have at most 32768 characters',
    )
    expect(await session.search(context.id, 'x '.repeat(2_048))).toEqual([])
  })

  // Q3
  it.each([
    "'; drop table alcove_chunks; --",
    '%',
    '_',
    '" OR 1=1',
    'a NEAR b AND NOT c*',
    '\\',
    ') UNION SELECT',
    '$1 ? :name',
    '{"$gt":""}',
  ])('treats operators as text: %j', async (prompt) => {
    await uploadText(session, context.id, 'a.txt', 'some text')
    await uploadText(session, context.id, 'b.txt', `a text with ${prompt} in it`)
    const results = await session.search(context.id, prompt)
    expect(results).toHaveLength(2)
    expect(await session.documents.list(context.id)).toHaveLength(2)
  })

  // Q4
  it('fails when a vector is not finite, and never returns a NaN score', async () => {
    await memory.engine.close()
    class BrokenIndex extends MemoryVectorIndex {
      override async search(...args: Parameters<MemoryVectorIndex['search']>): ReturnType<MemoryVectorIndex['search']> {
        const [collection, query, options] = args
        return await super.search(collection, query.fill(Number.NaN, 0, 1), options)
      }
    }
    memory = await memoryEngine({ vectorIndex: new BrokenIndex() })
    const { id } = await memory.session.contexts.create(NEW_CONTEXT)
    await expect(memory.session.search(id, 'text')).rejects.toMatchObject({ code: 'ERR_VECTOR_INVALID' })
  })

  // Q5
  it('does not find a context of another account', async () => {
    const { administration, owner } = memory.engine
    const company = await administration.companies.create({ name: 'Other', parentId: owner.companyId })
    const { id: userId } = await administration.users.add({ email: 'a@example.com', companyId: company.id })
    const account = (await administration.accounts.list()).find(
      ({ customerId, application }) => customerId === company.id && application === 'assistant',
    )
    const stranger = memory.engine.as({ companyId: company.id, userId, accountId: account?.id ?? 0, sight: 'account' })
    await uploadText(session, context.id, 'a.txt', 'some text')
    await expect(stranger.search(context.id, 'text')).rejects.toMatchObject({ code: 'ERR_CONTEXT_NOT_FOUND' })
    const missing = await stranger.search(999, 'text').catch((error: unknown) => error)
    expect(missing).toMatchObject({ code: 'ERR_CONTEXT_NOT_FOUND' })
  })

  // Q6
  it('never finds a half indexed or a deleted document', async () => {
    const chunks = 30
    const text = Array.from({ length: chunks * 200 }, (_, word) => `word${word % 50}`).join(' ')
    const seen = new Set<string>()
    const stop = new AbortController()
    const searching = (async () => {
      while (!stop.signal.aborted) {
        const results = await session.search(context.id, 'word1 word2', { topN: 100, collapse: false })
        const counts = new Map<number, number>()
        for (const { docId } of results) counts.set(docId, (counts.get(docId) ?? 0) + 1)
        for (const [docId, count] of counts) {
          seen.add(`${docId}`)
          expect(count, `document ${docId}`).toBe(chunks)
        }
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    })()
    for (let round = 0; round < 3; round += 1) {
      const uuid = await uploadText(session, context.id, `${round}.txt`, text)
      await vi.waitFor(() => expect(seen.size).toBe(round + 1), { timeout: 30_000, interval: 1 })
      await session.documents.delete(uuid)
      expect(await session.search(context.id, 'word1 word2')).toEqual([])
    }
    stop.abort()
    await searching
  })

  it('ends when its caller aborts it', async () => {
    const signal = AbortSignal.abort(new Error('no longer wanted'))
    await expect(session.search(context.id, 'text', { signal })).rejects.toThrow('no longer wanted')
  })

  it.each([
    [{ topN: 0 }, 'topN: must be an integer from 1 to 100'],
    [{ topN: 101 }, 'topN: must be an integer from 1 to 100'],
    [{ scoreThreshold: -0.1 }, 'scoreThreshold: must be a number from 0 to 1'],
    [{ scoreThreshold: Number.NaN }, 'scoreThreshold'],
    [{ signal: 1 as unknown as AbortSignal }, 'signal: must be an AbortSignal'],
  ])('refuses the options %j', async (options, message) => {
    await expect(session.search(context.id, 'text', options)).rejects.toThrow(message)
  })
})
