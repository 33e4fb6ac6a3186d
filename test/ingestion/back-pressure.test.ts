import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { heldMemory } from '../used-memory.js'
import { closeSharedParts, type FaultyEngine, faultyEngine, textOfSentences } from './faulty-engine.js'

const DOCUMENTS = 300
const TEXT = textOfSentences(40)

let faulty: FaultyEngine

beforeEach(async () => {
  faulty = await faultyEngine()
})

afterEach(async () => {
  expect(await faulty.end()).toEqual([])
})

afterAll(closeSharedParts)

it('a slow model causes a queue of rows, not of memory: few documents are open at a time', async () => {
  const { session, contextId } = faulty
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let opened = 0
  faulty.disturb(async (step) => {
    if (step === 'file:read') opened += 1
    if (step === 'texts:embed') await released
  })
  await faulty.upload('first.txt', TEXT)
  const before = heldMemory()
  for (let at = 0; at < DOCUMENTS; at += 10) {
    await Promise.all(
      Array.from({ length: 10 }, (_, next) => faulty.upload(`${at + next}.txt`, `${at + next} ${TEXT}`)),
    )
  }
  expect(await session.documents.list(contextId)).toHaveLength(DOCUMENTS + 1)
  expect(heldMemory() - before).toBeLessThan(15_000_000)
  expect(opened).toBeLessThanOrEqual(4)
  // Waiting documents can be deleted, searches can run, and the engine can close; none of them was started.
  // Words find some of them by now, but their similarity would wait for the model.
  expect(await session.search(contextId, 'a lamp', { mode: 'semantic' })).toEqual([])
  await session.contexts.delete(contextId)
  release()
  await faulty.engine.whenCleared()
}, 180_000)
