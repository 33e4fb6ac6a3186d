import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ContextSettings, SearchOptions, Session } from '../../../src/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

const PAGE = 'The gasket of pump HC-2040 is replaced every six months. Only a mechanic opens the pump.'

let memory: MemoryEngine
let session: Session

beforeEach(async () => {
  memory = await memoryEngine()
  session = memory.session
})

afterEach(async () => {
  await memory.engine.close()
})

async function newContext(texts: readonly string[], settings: ContextSettings = {}): Promise<number> {
  const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings })
  for (const [at, text] of texts.entries()) await uploadText(session, id, `${at}.txt`, text)
  return id
}

const COPIES = Array.from({ length: 10 }, () => PAGE)
const OTHERS = [
  'A pump moves water.',
  'The gasket of a valve is made of rubber.',
  'Months have names.',
  'Lunch is at noon.',
]

describe('copies of a page', () => {
  it('count once, and the hit says how many more there are', async () => {
    const id = await newContext([...COPIES, ...OTHERS])
    for (const mode of ['hybrid', 'keyword', 'semantic'] as const) {
      const hits = await session.search(id, 'gasket of pump HC-2040', { mode, topN: 3, scoreThreshold: 0 })
      expect(hits.map(({ content }) => content === PAGE)).toEqual([true, false, false])
      expect(hits.map(({ source }) => source.collapsed)).toEqual([9, undefined, undefined])
    }
    const [only, ...others] = await session.search(id, 'gasket of pump HC-2040', { topN: 1 })
    expect([only?.source.collapsed, others.length]).toEqual([9, 0])
  })

  it('are all listed with collapse: false', async () => {
    const id = await newContext([...COPIES, ...OTHERS])
    const options: SearchOptions = { topN: 10, collapse: false }
    const hits = await session.search(id, 'gasket of pump HC-2040', options)
    expect(hits.map(({ content }) => content)).toEqual(COPIES)
    expect(hits.every(({ source }) => !('collapsed' in source))).toBe(true)
  })

  it('count once in each of several contexts', async () => {
    const ids = [await newContext([PAGE, PAGE, 'Lunch is at noon.']), await newContext([PAGE, 'A pump moves water.'])]
    const hits = await session.searchAll(ids, 'gasket of pump HC-2040', { topN: 4, scoreThreshold: 0 })
    expect(hits.map(({ contextId, content, source }) => [contextId, content, source.collapsed])).toEqual([
      [ids[0], PAGE, 1],
      [ids[1], PAGE, undefined],
      [ids[1], 'A pump moves water.', undefined],
      [ids[0], 'Lunch is at noon.', undefined],
    ])
  })

  it('that differ in one number are not copies', async () => {
    const sheets = Array.from({ length: 5 }, (_, at) => `Pump HC-204${at} has a gasket of 7${at} mm.`)
    const id = await newContext(sheets)
    expect(await session.search(id, 'gasket of a pump', { topN: 5, scoreThreshold: 0 })).toHaveLength(5)
  })

  it('leave the list as long as it can be: as many passages as there are', async () => {
    const id = await newContext(COPIES)
    expect(await session.search(id, 'gasket of pump HC-2040', { topN: 5 })).toHaveLength(1)
  })
})

describe('chunks of one document', () => {
  it('whose nearest passages overlap count once', async () => {
    const filler = (word: string) => `${word} `.repeat(20)
    const text = `${filler('apple')}${PAGE} ${filler('wood')}`
    const id = await newContext([text, 'Lunch is at noon.'], { chunkSizeTokens: 48, overlap: 0.8 })
    const options = { topN: 20, scoreThreshold: 0, mode: 'semantic' } as const
    const all = await session.search(id, PAGE, { ...options, collapse: false })
    const hits = await session.search(id, PAGE, options)
    expect(hits.length).toBeLessThan(all.length)
    const collapsed = hits.reduce((sum, { source }) => sum + (source.collapsed ?? 0), 0)
    expect(hits.length + collapsed).toBe(all.length)
    expect(hits[0]?.id).toBe(all[0]?.id)
  })
})
