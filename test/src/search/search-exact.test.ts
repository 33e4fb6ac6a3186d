import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SearchOptions, Session } from '../../../src/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

let memory: MemoryEngine
let session: Session
let contextId: number

const TEXTS = {
  'one.txt': 'The policies were signed by the board.',
  'two.txt': 'A policy holder may ask for a copy.',
  'three.txt': 'Send goods back with a return merchandise authorisation (RMA).',
  'four.txt': 'The RMA number goes on the label.',
  'five.txt': 'Lunch is served at noon.',
}

beforeEach(async () => {
  memory = await memoryEngine()
  session = memory.session
  contextId = (await session.contexts.create(NEW_CONTEXT)).id
  for (const [name, text] of Object.entries(TEXTS)) await uploadText(session, contextId, name, text)
})

afterEach(async () => {
  await memory.engine.close()
})

async function find(prompt: string, options: SearchOptions = {}): Promise<string[]> {
  const found = await session.search(contextId, prompt, { mode: 'keyword', topN: 10, ...options })
  return found.map(({ source }) => source.displayName).sort()
}

describe('a search for exact words', () => {
  it('finds no other form of a word', async () => {
    expect(await find('policies')).toEqual(['one.txt', 'two.txt'])
    expect(await find('policies', { words: 'similar' })).toEqual(['one.txt', 'two.txt'])
    expect(await find('policies', { words: 'exact' })).toEqual(['one.txt'])
  })

  it('corrects no typing error', async () => {
    expect(await find('autorisation')).toEqual(['three.txt'])
    expect(await find('autorisation', { words: 'exact' })).toEqual([])
  })

  it('takes no acronym for the words that a text explains it with', async () => {
    expect(await find('return merchandise authorisation')).toEqual(['four.txt', 'three.txt'])
    expect(await find('return merchandise authorisation', { words: 'exact' })).toEqual(['three.txt'])
  })

  it('takes the words of a history as they are, too', async () => {
    const history = [{ role: 'user', content: 'policies' }] as const
    expect(await find('and lunch?', { history })).toEqual(['five.txt', 'one.txt', 'two.txt'])
    expect(await find('and lunch?', { history, words: 'exact' })).toEqual(['five.txt', 'one.txt'])
  })

  it('is the same in a search of several contexts, and in an explanation', async () => {
    const other = await session.contexts.create({ ...NEW_CONTEXT, name: 'Other' })
    await uploadText(session, other.id, 'six.txt', 'Our policy about policies is long.')
    await uploadText(session, other.id, 'seven.txt', 'Water the plants on Fridays.')
    const options = { mode: 'keyword', words: 'exact', topN: 10 } as const
    const all = await session.searchAll([contextId, other.id], 'policies', options)
    expect(all.map(({ source }) => source.displayName).sort()).toEqual(['one.txt', 'six.txt'])
    const { hits, words } = await session.explain(contextId, 'policies', options)
    expect(hits).toHaveLength(1)
    expect(words.map(({ similar }) => similar)).toEqual([[]])
  })

  it('refuses another value', async () => {
    const options = { words: 'stemmed' } as unknown as SearchOptions
    await expect(find('policies', options)).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'words' })
  })
})

describe('a search for words between quotation marks', () => {
  it.each([
    '"policies of owners. Letters of boats"',
    '“policies of owners: letters of boats”',
    '«policies of owners\nletters of boats»',
    'Find "policies of owners. Letters of boats" please. Thank you all.',
  ])('finds no other form of them across ends of sentences and lines: %j', async (prompt) => {
    expect(await find(prompt)).toEqual(['one.txt'])
    expect(await find(prompt.replaceAll(/["“”«»]/g, ''))).toEqual(['one.txt', 'two.txt'])
  })
})

describe('a word that was mistyped', () => {
  const correctedFor = async (text: string, prompt: string) => {
    await uploadText(session, contextId, 'leave.txt', text)
    const [hit] = await session.search(contextId, prompt, { mode: 'keyword' })
    expect(hit?.source.displayName).toBe('leave.txt')
    return hit?.source.corrected
  }

  it('is named with the word that is most like it', async () => {
    const text = 'Parental leave takes eighteen weeks, and both parents share it.'
    expect(await correctedFor(text, 'paretnal leave')).toEqual([{ from: 'paretnal', to: 'parental' }])
  })

  it('is not named if another part of the prompt decided', async () => {
    const text = 'Parental leave takes eighteen weeks of the year.'
    const prompt = 'My paretnal matters trouble somebody. Which weeks of the year are leave?'
    expect(await correctedFor(text, prompt)).toBeUndefined()
  })
})
