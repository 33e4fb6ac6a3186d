import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

let memory: MemoryEngine

beforeEach(async () => {
  memory = await memoryEngine()
})

afterEach(async () => {
  vi.useRealTimers()
  await memory.engine.close()
})

describe('a change of a name while the word index does not answer', () => {
  it('ends after ten seconds, and the document is found by its name later', async () => {
    const { session, lexicalIndex } = memory
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const uuid = await uploadText(session, id, 'a.txt', 'Clean the filter each week.')
    let answer: () => void = () => undefined
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const add = lexicalIndex.add.bind(lexicalIndex)
    const adding = vi.spyOn(lexicalIndex, 'add').mockImplementation(async (collection, rows) => {
      await answered
      await add(collection, rows)
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let isChanged = false
    const changing = session.documents.update(uuid, { displayName: 'Heron.txt' }).then((document) => {
      isChanged = true
      return document
    })
    // Other parts of the engine wait for timers too, on a busy machine.
    while (adding.mock.calls.length === 0) await vi.advanceTimersByTimeAsync(1)
    await vi.advanceTimersByTimeAsync(5_000)
    const isChangedEarly = isChanged
    await vi.advanceTimersByTimeAsync(6_000)
    const isChangedInTime = isChanged
    vi.useRealTimers()
    answer()
    expect([isChangedEarly, isChangedInTime]).toEqual([false, true])
    expect(await changing).toMatchObject({ displayName: 'Heron.txt' })
    await expect.poll(async () => await session.search(id, 'heron', { mode: 'keyword' })).toHaveLength(1)
  })
})
