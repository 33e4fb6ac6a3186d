import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Session } from '../../../../src/index.js'
import { shareOfPart } from '../../../../src/search/ranking/nearness.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../../engine/memory-engine.js'

const IDFS = new Map([
  ['pump', 3],
  ['valve', 1],
])

describe('the share of a prompt in one part of a text', () => {
  it('is 1 if one part has all words, and less if they are far from each other', () => {
    const near = [
      { term: 'pump', start: 0, end: 4 },
      { term: 'valve', start: 20, end: 25 },
    ]
    const far = [near[0] ?? { term: '', start: 0, end: 0 }, { term: 'valve', start: 1_100, end: 1_105 }]
    expect(shareOfPart(near, 1_200, IDFS, [])).toBe(1)
    expect(shareOfPart(far, 1_200, IDFS, [])).toBe(0.75)
  })

  it('has the words of names in each part', () => {
    expect(shareOfPart([{ term: 'valve', start: 0, end: 5 }], 1_200, IDFS, ['pump'])).toBe(1)
    expect(shareOfPart([], 1_200, IDFS, ['pump'])).toBe(0.75)
  })

  it('is from 0 to 1, and never falls with one more word', () => {
    const place = fc.record({ term: fc.constantFrom('pump', 'valve', 'other'), start: fc.nat(999) })
    fc.assert(
      fc.property(fc.array(place), place, (places, more) => {
        const found = places.map((each) => ({ ...each, end: each.start + 1 }))
        const share = shareOfPart(found, 1_000, IDFS, [])
        expect(share).toBeGreaterThanOrEqual(0)
        expect(share).toBeLessThanOrEqual(1)
        expect(shareOfPart([...found, { ...more, end: more.start + 1 }], 1_000, IDFS, [])).toBeGreaterThanOrEqual(share)
      }),
    )
  })
})

describe('a search for several words', () => {
  let memory: MemoryEngine
  let session: Session
  let contextId: number
  const filler = (seed: number): string =>
    Array.from({ length: 60 }, (_, at) => `line ${(at * 7 + seed) % 60} of the notes`).join('. ')

  beforeEach(async () => {
    memory = await memoryEngine()
    session = memory.session
    contextId = (await session.contexts.create(NEW_CONTEXT)).id
    await uploadText(session, contextId, 'far.txt', `Orange shelves. ${filler(1)}. The kettle stays.`)
    await uploadText(session, contextId, 'near.txt', `${filler(2)}. The orange kettle leaks and stays. Shelves.`)
    await uploadText(session, contextId, 'other.txt', 'Lunch is served at noon, and the canteen closes at two.')
    await uploadText(session, contextId, 'more.txt', 'Badges are renewed each year, at the front desk.')
  })

  afterEach(async () => {
    await memory.engine.close()
  })

  it.each(['hybrid', 'keyword'] as const)('finds first where they stand near each other (%s)', async (mode) => {
    const found = await session.search(contextId, 'orange kettle', { mode })
    expect(found.map(({ source }) => source.displayName).slice(0, 2)).toEqual(['near.txt', 'far.txt'])
    const scores = found.map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((one, other) => other - one))
    const [only] = await session.search(contextId, 'orange kettle', { mode, topN: 1 })
    expect(only).toEqual(found[0])
  })

  it('finds the same in a search of several contexts', async () => {
    const other = await session.contexts.create({ ...NEW_CONTEXT, name: 'Other' })
    await uploadText(session, other.id, 'third.txt', 'Trams stop here each ten minutes.')
    const found = await session.searchAll([contextId, other.id], 'orange kettle', { topN: 2 })
    expect(found.map(({ source }) => source.displayName)).toEqual(['near.txt', 'far.txt'])
  })
})
