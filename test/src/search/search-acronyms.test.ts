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

const DEFINITION = 'Ask for a return merchandise authorisation (RMA) first.'
const SHORT = 'Stick the RMA number on the box.'
const LONG = 'A merchandise return needs its authorisation within ten days.'

describe('an acronym that a document explains', () => {
  it('finds texts that have its words alone, and its words find texts that have it alone', async () => {
    const id = await contextOf(DEFINITION, SHORT, LONG)
    const find = async (prompt: string): Promise<string[]> =>
      (await session.search(id, prompt, { mode: 'keyword' })).map(({ content }) => content)
    expect(new Set(await find('rma'))).toEqual(new Set([DEFINITION, SHORT, LONG]))
    expect((await find('rma')).at(-1)).toBe(LONG)
    expect(await find('return merchandise authorisation')).toContain(SHORT)
    expect(await find('merchandise')).not.toContain(SHORT)
  })

  it('is known in the context of that document alone, also in a search of several', async () => {
    const [one, other] = [await contextOf(DEFINITION, LONG), await contextOf(LONG)]
    expect(await session.search(other, 'rma', { mode: 'keyword' })).toEqual([])
    const found = await session.searchAll([one, other], 'rma', { mode: 'keyword' })
    expect(found.map(({ content }) => content)).toContain(LONG)
  })
})
