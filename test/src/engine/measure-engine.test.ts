import { describe, expect, it } from 'vitest'
import { memoryEngine } from './memory-engine.js'

describe('the measuring of an engine', () => {
  it('asks all places for their sizes at the same time, as each may take long to answer', async () => {
    const { engine, session, storage, vectorIndex, lexicalIndex } = await memoryEngine()
    let [asked, answer]: [number, () => void] = [0, () => undefined]
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const whenAllAreAsked = async (): Promise<void> => {
      asked += 1
      if (asked === 3) answer()
      await answered
    }
    const names = async (): Promise<readonly string[]> => {
      await whenAllAreAsked()
      return ['one']
    }
    const measure = async () => {
      await whenAllAreAsked()
      return { sizeBytes: 5, rows: { contexts: 2 } }
    }
    Object.assign(storage, { measure })
    Object.assign(vectorIndex, { listCollections: names })
    Object.assign(lexicalIndex, { listCollections: names })
    const { rows, collections, disk } = await session.operator.state()
    expect({ rows, collections }).toEqual({ rows: { contexts: 2 }, collections: { vectors: 1, words: 1 } })
    expect(disk).toContainEqual({ part: 'database', usedBytes: 5, freeBytes: null })
    await engine.close()
  }, 20_000)
})
