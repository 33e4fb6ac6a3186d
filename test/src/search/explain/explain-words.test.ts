import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HistoryMessage, Session } from '../../../../src/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../../engine/memory-engine.js'

let memory: MemoryEngine
let session: Session
let id: number

beforeEach(async () => {
  memory = await memoryEngine()
  session = memory.session
  id = (await session.contexts.create(NEW_CONTEXT)).id
  await uploadText(session, id, 'leave.txt', 'Parental leave takes eighteen weeks.')
})

afterEach(async () => {
  await memory.engine.close()
})

describe('the words of an explanation', () => {
  it('count as found if the documents have similar ones', async () => {
    const found = await session.explain(id, 'parentals', { mode: 'keyword' })
    expect([found.hits.length, found.words[0]?.documents]).toEqual([1, 0])
    expect(found.reasons).toEqual([])
    const below = await session.explain(id, 'parentals', { mode: 'keyword', scoreThreshold: 0.99 })
    expect(below.hits).toEqual([])
    expect(below.reasons.map(({ code }) => code)).toEqual(['threshold-too-high'])
  })

  it('count as found if the documents have their acronym', async () => {
    await uploadText(session, id, 'returns.txt', 'Send it with a return merchandise authorisation (RMA).')
    const uuid = await uploadText(session, id, 'labels.txt', 'The RMA number goes on the label.')
    const labels = (await session.documents.list(id)).filter((document) => document.uuid === uuid)
    const filter = { documents: labels.map((document) => document.id) }
    const options = { mode: 'keyword', filter } as const
    const { hits, words, reasons } = await session.explain(id, 'return merchandise authorisation', options)
    expect(hits.map(({ source }) => source.displayName)).toEqual(['labels.txt'])
    expect(words.map(({ documents }) => documents)).toEqual([0, 0, 0])
    expect(reasons).toEqual([])
  })

  it('are those of the last four messages of the user alone, as the user wrote them', async () => {
    const history: HistoryMessage[] = [
      { role: 'user', content: 'WEEKS' },
      { role: 'assistant', content: 'PARENTAL LEAVE' },
      ...['parental', 'leave', 'for', 'weeks'].map((content) => ({ role: 'user' as const, content })),
      { role: 'user', content: `eighteen${' '.repeat(4_100)}forgotten` },
    ]
    const { words } = await session.explain(id, 'And who pays?', { history })
    const before = words.filter(({ isFromHistory }) => isFromHistory)
    expect(before.map(({ word }) => word)).toEqual(['leave', 'for', 'weeks', 'eighteen'])
  })
})
