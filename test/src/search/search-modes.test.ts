import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Session } from '../../../src/index.js'
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

/** A model of letters and lengths does not distinguish numbers: these texts differ in one number alone. */
async function uploadParts(count = 40): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    await uploadText(
      session,
      contextId,
      `part-${number}.txt`,
      `Spare part E-${4_700 + number} fits the pump of the red mill.`,
    )
  }
}

describe('a search by words and meaning', () => {
  it('finds a part number first among texts that are nearly the same', async () => {
    await uploadParts()
    for (const number of [4_700, 4_711, 4_739]) {
      const [first] = await session.search(contextId, `Which mill has part E-${number}?`)
      expect(first?.content).toContain(`E-${number}`)
      expect(first?.source.foundBy).toContain('words')
    }
  })

  it('gives each result its exact similarity, for results of both sides', async () => {
    await uploadParts()
    const prompt = 'Which mill has part E-4711?'
    const exact = new Map(
      (await session.search(contextId, prompt, { mode: 'semantic', topN: 100 })).map((one) => [one.id, one.similarity]),
    )
    for (const mode of ['hybrid', 'keyword'] as const) {
      const results = await session.search(contextId, prompt, { mode, topN: 100 })
      expect(results.length).toBeGreaterThan(0)
      for (const { id, similarity } of results) expect(similarity).toBeCloseTo(exact.get(id) ?? -1, 5)
    }
  })

  it('orders results by their score, which lies between 0 and 1', async () => {
    await uploadParts()
    for (const mode of ['hybrid', 'semantic', 'keyword'] as const) {
      const scores = (await session.search(contextId, 'pump E-4711 E-4712', { mode, topN: 20 })).map(
        ({ score }) => score,
      )
      expect(scores).toEqual(scores.toSorted((one, other) => other - one))
      for (const score of scores) expect(score >= 0 && score <= 1).toBe(true)
    }
  })

  it('uses meaning alone, or words alone, on request', async () => {
    await uploadText(session, contextId, 'a.txt', 'Parental leave takes eighteen weeks.')
    await uploadText(session, contextId, 'b.txt', 'The espresso machine shows an error.')
    const semantic = await session.search(contextId, 'leave', { mode: 'semantic' })
    expect(semantic).toHaveLength(2)
    for (const { score, similarity, source } of semantic) {
      expect(score).toBe(similarity)
      expect(source.foundBy).toEqual(['meaning'])
    }
    const keyword = await session.search(contextId, 'leave', { mode: 'keyword' })
    expect(keyword.map(({ docId, source }) => [docId, source.foundBy])).toEqual([[1, ['words']]])
    expect(await session.search(contextId, 'holiday', { mode: 'keyword' })).toEqual([])
  })

  it('follows the mode of the context, which can change', async () => {
    await uploadText(session, contextId, 'a.txt', 'Parental leave takes eighteen weeks.')
    await uploadText(session, contextId, 'b.txt', 'The espresso machine shows an error.')
    expect(await session.search(contextId, 'leave')).toHaveLength(2)
    await session.contexts.update(contextId, { ...NEW_CONTEXT, settings: { searchMode: 'keyword' } })
    expect(await session.contexts.settings(contextId)).toMatchObject({ searchMode: 'keyword', findsEarly: true })
    expect(await session.search(contextId, 'leave')).toHaveLength(1)
    expect(await session.search(contextId, 'leave', { mode: 'hybrid' })).toHaveLength(2)
  })

  it('uses meaning alone when a question has no words, or only words without weight', async () => {
    for (const name of ['a', 'b', 'c', 'd']) {
      await uploadText(session, contextId, `${name}.txt`, `The ${name.repeat(9)} is the one.`)
    }
    for (const prompt of ['?!', '…', 'the', 'the one is the the']) {
      for (const mode of ['hybrid', 'keyword'] as const) {
        const results = await session.search(contextId, prompt, { mode })
        const semantic = await session.search(contextId, prompt, { mode: 'semantic' })
        expect(results.map(({ id }) => id)).toEqual(semantic.map(({ id }) => id))
      }
    }
  })

  it('drops results below the threshold, however well their words match', async () => {
    await uploadParts()
    const prompt = 'Which mill has part E-4711?'
    const all = await session.search(contextId, prompt, { topN: 100 })
    const scoreThreshold = all.map(({ similarity }) => similarity).toSorted()[20] ?? 1
    for (const mode of ['hybrid', 'keyword', 'semantic'] as const) {
      const found = await session.search(contextId, prompt, { mode, topN: 100, scoreThreshold })
      expect(found.every(({ similarity }) => similarity >= scoreThreshold)).toBe(true)
    }
    const hybrid = await session.search(contextId, prompt, { topN: 100, scoreThreshold })
    expect(hybrid).toHaveLength(all.filter(({ similarity }) => similarity >= scoreThreshold).length)
  })

  it('matches no stretch of words that most chunks have, but the nearest window', async () => {
    for (const [at, word] of ['road', 'mill', 'pump', 'valve', 'gate', 'hall'].entries()) {
      const filler = Array.from({ length: 40 }, (_, line) => `Line ${line} says ${word} ${line * at} times.`).join(' ')
      await uploadText(session, contextId, `${at}.txt`, `${filler} This is the end of the ${word}. ${filler}`)
    }
    const options = { topN: 6, scoreThreshold: 0 }
    const nearest = await session.search(contextId, 'zebra of the', { ...options, mode: 'semantic' })
    const matches = new Map(nearest.map(({ id, match }) => [id, match]))
    const found = await session.search(contextId, 'zebra of the', options)
    expect(found).toHaveLength(6)
    for (const { id, match } of found) expect(match).toEqual(matches.get(id))
    const [told] = await session.search(contextId, 'the end of the mill', options)
    expect(told?.content.slice(told.match.start, told.match.end)).toBe('This is the end of the mill.')
  })

  it('reports the source of a result, and its best passage', async () => {
    const text = `${'Nothing is said here. '.repeat(30)}The valve E-4711 leaks. ${'Nor is it here. '.repeat(30)}`
    const uuid = await uploadText(session, contextId, 'manual.txt', text)
    const [result] = await session.search(contextId, 'E-4711 leaks')
    const { match, source, content } = result ?? { match: { start: 0, end: 0 }, source: undefined, content: '' }
    expect(content.slice(match.start, match.end)).toBe('The valve E-4711 leaks.')
    expect(source).toMatchObject({ uuid, originalName: 'manual.txt', displayName: 'manual.txt' })
    expect(text.slice(source?.start, source?.end)).toBe(content)
  })

  it('returns the nearest window when no word matched', async () => {
    await uploadText(session, contextId, 'a.txt', 'Parental leave takes eighteen weeks.')
    const [result] = await session.search(contextId, 'zzz')
    expect(result?.match).toEqual({ start: 0, end: result?.content.length })
  })

  it('compares a limited number of chunks at a time, however many have the words', async () => {
    const settings = { chunkSizeTokens: 16, overlap: 0 }
    const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings })
    const sentences = Array.from({ length: 800 }, (_, number) => {
      return `${number % 2 === 0 ? 'The pump' : 'The mill'} of hall ${number} stands still today and is cleaned by somebody else.`
    })
    await uploadText(session, id, 'halls.txt', sentences.join('\n\n'))
    const nearestWindows = vi.spyOn(memory.vectorIndex, 'nearestWindows')
    expect(await session.search(id, 'pump', { mode: 'keyword', scoreThreshold: 0.99 })).toEqual([])
    const chunkCounts = nearestWindows.mock.calls.map(([, , chunks]) => chunks.length)
    expect(chunkCounts.length).toBeGreaterThan(1)
    expect(Math.max(...chunkCounts)).toBeLessThanOrEqual(256)
    // Each chunk is compared once.
    expect(chunkCounts.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(800)
  })

  it('answers a prompt of 30,000 characters, and refuses one of more than 32,768', async () => {
    await uploadParts(1)
    for (const mode of ['hybrid', 'keyword', 'semantic'] as const) {
      expect(await session.search(contextId, 'pump '.repeat(6_000), { mode })).toHaveLength(1)
      for (const word of ['zebra', 'pump']) {
        const search = session.search(contextId, `${word} `.repeat(7_000), { mode })
        await expect(search).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'prompt' })
      }
    }
  })

  it.each([
    [{ mode: 'fuzzy' }, 'mode'],
    [{ mode: null }, 'mode'],
  ])('refuses %j', async (options, field) => {
    await expect(session.search(contextId, 'text', options as object)).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      field,
    })
  })
})
