import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { closeSharedParts, type FaultyEngine, faultyEngine, type Step, textOfSentences } from './faulty-engine.js'

const TEXT = textOfSentences(900)
/** Every step of the processing of a document. */
const MOMENTS = (
  [
    'file:read',
    'text:piece',
    'words:delete',
    'words:add',
    'words:added',
    'texts:embed',
    'texts:embedded',
    'vectors:add',
    'vectors:added',
  ] as const
).map((step) => [step] as const)

let faulty: FaultyEngine

beforeEach(async () => {
  faulty = await faultyEngine()
})

/** No row, chunk, vector or file of the deleted document or context is left. */
afterEach(async () => {
  expect(await faulty.end()).toEqual([])
})

afterAll(closeSharedParts)

/** Deletes when a step is reached, which waits for that. */
async function deletedAt(step: Step, remove: (uuid: string) => Promise<unknown>): Promise<void> {
  let uuid = ''
  const reached = new Promise<void>((resolve) => {
    let removing: Promise<unknown> | undefined
    faulty.disturb(async (taken) => {
      if (taken !== step || uuid === '') return
      removing ??= remove(uuid).finally(resolve)
      await removing
    })
  })
  uuid = await faulty.upload('a.txt', TEXT)
  await reached
  await faulty.engine.whenCleared()
}

describe('a deletion during the processing of a document', () => {
  it.each(MOMENTS)('at %s leaves no data of the document, and releases its quota', async (step) => {
    const { session, contextId } = faulty
    await deletedAt(step, async (uuid) => await session.documents.delete(uuid))
    expect(await session.documents.list(contextId)).toEqual([])
    const { maxSize } = await session.contexts.get(contextId)
    await session.documents.checkRoom(contextId, maxSize)
  })

  it.each(MOMENTS)('of its context, at %s, leaves no data of either', async (step) => {
    const { session, contextId } = faulty
    await deletedAt(step, async () => await session.contexts.delete(contextId))
    expect(await session.contexts.list()).toEqual([])
  })

  it('stops a document that hangs in the extractor, and the engine can close', async () => {
    const { session } = faulty
    let isReached: () => void = () => undefined
    const reached = new Promise<void>((resolve) => {
      isReached = resolve
    })
    faulty.disturb(async (step) => {
      if (step !== 'text:piece') return
      isReached()
      await new Promise(() => undefined)
    })
    const [first, second] = [await faulty.upload('a.txt', TEXT), await faulty.upload('b.txt', `${TEXT}.`)]
    await reached
    await session.documents.delete(first)
    await faulty.engine.whenCleared()
    await session.documents.delete(second)
    await faulty.engine.whenCleared()
  })
})
