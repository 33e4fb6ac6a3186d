import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Session } from '../../../src/index.js'
import { contextOfTexts, type MemoryEngine, memoryEngine } from '../engine/memory-engine.js'

let memory: MemoryEngine
let session: Session

beforeEach(async () => {
  memory = await memoryEngine()
  session = memory.session
})

afterEach(async () => {
  await memory.engine.close()
})

const contextOf = async (...texts: readonly string[]): Promise<number> => await contextOfTexts(session, texts)

describe('a prompt with a space inside a word', () => {
  const BLACKBOARD = 'A blackboard hangs in each room of the second floor.'
  const BOARD = 'The board meets in the black room.'

  it('finds the word, before texts with one half of it', async () => {
    const id = await contextOf(BOARD, BLACKBOARD)
    const [best] = await session.search(id, 'Where is a blackbo ard?', { mode: 'keyword' })
    expect(best?.content).toBe(BLACKBOARD)
    const found = await session.search(id, 'black board', { mode: 'keyword' })
    expect(found.map(({ content }) => content)).toEqual([BOARD, BLACKBOARD])
  })

  it('finds an inflection of the word, and calls it no correction', async () => {
    const id = await contextOf('Blackboards hang in each room.')
    const [found, ...others] = await session.search(id, 'black board', { mode: 'keyword' })
    expect([found?.source.corrected, others]).toEqual([undefined, []])
  })

  it('means its words alone if the search is exact, or if no document has the word', async () => {
    const id = await contextOf(BLACKBOARD)
    expect(await session.search(id, 'black board', { mode: 'keyword', words: 'exact' })).toEqual([])
    expect(await session.search(id, '"black board"', { mode: 'keyword' })).toEqual([])
    const other = await contextOf(BOARD)
    const [best] = await session.search(other, 'black board', { mode: 'keyword' })
    expect(best?.content).toBe(BOARD)
  })
})

describe('a date in a prompt', () => {
  it.each(['12.03.2023', '12/03/2023', '2023/3/12'])('finds %s as it is written first', async (date) => {
    const others = [
      'Outage of 03.12.2023: pump.',
      'Outage of 2023-12-03: pump.',
      'Outage in March 2023, for 12 hours: pump.',
    ]
    const id = await contextOf(...others, `Outage of ${date}: pump.`, 'Outage of 2023-03-12: pump.')
    const [best] = await session.search(id, `outage of ${date}`, { mode: 'keyword' })
    expect(best?.content).toBe(`Outage of ${date}: pump.`)
  })

  it.each([
    ['What happened on 12 March 2023?', 'Outage of 2023-03-12: the pump failed.'],
    ['What happened on March 12th, 2023?', 'Outage of 12.03.2023: the pump failed.'],
    ['What happened on 2023-03-12?', 'Outage on the 12th of March: the pump failed.'],
    ['Was geschah am 12. März 2023?', 'Outage of 03/12/2023: the pump failed.'],
    ['What happened on 3/12/2023?', 'Outage of 2023-03-12: the pump failed.'],
  ])('finds its other forms: %s', async (prompt, text) => {
    const id = await contextOf('Outage of 2023-03-21: the pump stood.', text, 'Outage of 12 May 2021: no pump.')
    const [best] = await session.search(id, prompt, { mode: 'keyword' })
    expect(best?.content).toBe(text)
  })
})
