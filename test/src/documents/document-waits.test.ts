import { describe, expect, it, vi } from 'vitest'
import { MemoryEmbeddingModel, MemoryStorage, MemoryVectorIndex } from '../../../adapters/memory/index.js'
import { ClosedError, StorageFullError } from '../../../src/index.js'
import type { EmbedOptions } from '../../../src/ports/index.js'
import { HeldModel } from '../engine/held-model.js'
import { memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'
import { HookedStorage } from '../outbox/hooked-storage.js'

const DOCUMENTS = 400
/** The processing of a document causes a few reads as well. */
const MOST_READS_PER_DOCUMENT = 16

class CountingStorage extends MemoryStorage {
  reads = 0

  override async read<T>(work: Parameters<typeof MemoryStorage.prototype.read<T>>[0]): Promise<T> {
    this.reads += 1
    return await super.read(work)
  }
}

/** Never answers. */
class SilentModel extends MemoryEmbeddingModel {
  override async embed(_texts: readonly string[], { signal }: EmbedOptions): Promise<Float32Array> {
    signal?.throwIfAborted()
    return await new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error))
    })
  }
}

const FULL = 'the disk with the vectors is full: free some space, then the work continues'

const OTHER = 'another disk is full'

/** Takes no vectors while it is full. */
class FullIndex extends MemoryVectorIndex {
  isFull = true
  reason = FULL
  tries = 0

  override async add(...call: Parameters<MemoryVectorIndex['add']>): Promise<void> {
    this.tries += 1
    if (this.isFull) throw new StorageFullError(this.reason)
    await super.add(...call)
  }
}

/** Counts the looks for the reason of a wait. Each poll of the waits fails, so that each is followed by a look. */
function lookingStorage(): { readonly storage: HookedStorage; readonly looks: () => number } {
  let looks = 0
  const storage = new HookedStorage(new MemoryStorage(), (call, go) => {
    if (call === 'documents.find') throw new Error('the poll fails')
    if (call === 'settings.get') looks += 1
    return go()
  })
  return { storage, looks: () => looks }
}

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
}

describe('a wait for a document', () => {
  it('causes the same number of database reads for each document, however many callers wait', async () => {
    const storage = new CountingStorage()
    const model = new HeldModel()
    const { engine, session } = await memoryEngine({ storage, embeddingModels: [model] })
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const uuids: string[] = []
    for (let at = 0; at < DOCUMENTS; at += 1) {
      uuids.push(await session.documents.upload(id, { fileName: `${at}.txt`, content: Buffer.from(`Text ${at}.`) }))
    }
    storage.reads = 0
    const waits = uuids.map((uuid) => session.documents.whenProcessed(uuid))
    model.gate.open()
    await Promise.all(waits)
    expect(storage.reads).toBeLessThan(DOCUMENTS * MOST_READS_PER_DOCUMENT)
    await engine.close()
  })

  it('leaves no timer after the document is processed', async () => {
    const { engine, session } = await memoryEngine()
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const uuid = await uploadText(session, id, 'a.txt', 'Text.')
    const before = timers()
    await session.documents.whenProcessed(uuid)
    expect(timers()).toBe(before)
    await engine.close()
  })

  // W68
  it('tells once for which disk the document waits, and ends with what the caller throws then', async () => {
    const vectorIndex = new FullIndex()
    const { storage, looks } = lookingStorage()
    const { engine, session } = await memoryEngine({ vectorIndex, storage })
    const { documents, contexts } = session
    const { id } = await contexts.create(NEW_CONTEXT)
    const uuid = await documents.upload(id, { fileName: 'a.txt', content: Buffer.from('Text.') })
    const throwIt = (reason: Error): never => {
      throw reason
    }
    await expect(documents.whenProcessed(uuid, { onWaiting: throwIt })).rejects.toMatchObject({
      code: 'ERR_STORAGE_FULL',
      message: FULL,
    })
    const waiting = { waiting: `${FULL} (ERR_STORAGE_FULL)`, waitingCode: 'ERR_STORAGE_FULL' }
    expect(await documents.get(uuid)).toMatchObject({ error: null, errorCode: null, ...waiting })
    const reasons: string[] = []
    const processed = documents.whenProcessed(uuid, { onWaiting: ({ message }) => reasons.push(message) })
    const until = async (isReached: () => boolean): Promise<void> =>
      await vi.waitFor(() => expect(isReached()).toBe(true), { timeout: 60_000 })
    await until(() => reasons.length === 1)
    vectorIndex.reason = OTHER
    await until(() => reasons.length === 2)
    vectorIndex.reason = FULL
    const { tries } = vectorIndex
    await until(() => vectorIndex.tries > tries)
    const seen = looks()
    await until(() => looks() > seen + 2)
    vectorIndex.isFull = false
    await processed
    expect(reasons).toEqual([FULL, OTHER])
    expect((await documents.get(uuid)).waiting).toBeNull()
    const next = await documents.upload(id, { fileName: 'b.txt', content: Buffer.from('Text.') })
    await documents.whenProcessed(next, { onWaiting: throwIt })
    await engine.close()
  })

  // W68
  it('is told to those who watch the context, with its reason, until it is over', async () => {
    const vectorIndex = new FullIndex()
    const { engine, session } = await memoryEngine({ vectorIndex })
    const { documents, contexts } = session
    const { id } = await contexts.create(NEW_CONTEXT)
    const uuid = await documents.upload(id, { fileName: 'a.txt', content: Buffer.from('Text.') })
    const told: (string | null)[] = []
    for await (const { status, waiting } of documents.watch(id)) {
      if (waiting !== null && vectorIndex.isFull) {
        // The states at the beginning of another watch have it too.
        for await (const state of documents.watch(id)) {
          expect(state).toMatchObject({ uuid, waiting })
          break
        }
        vectorIndex.isFull = false
      }
      if (waiting !== told.at(-1)) told.push(waiting)
      if (status === 'completed') break
    }
    // A state may come before the first try of the document.
    expect(told.filter((waiting) => waiting !== null)).toEqual([`${FULL} (ERR_STORAGE_FULL)`])
    expect(told.at(-1)).toBeNull()
    await engine.close()
  })

  // W68
  it('is told by a re-index whose own steps find the disk full', async () => {
    let isFull = false
    const storage = new HookedStorage(new MemoryStorage(), (call, go) => {
      if (isFull && call === 'shadows.insert') throw new StorageFullError(FULL)
      return go()
    })
    const { engine, session } = await memoryEngine({ storage })
    const { contexts } = session
    const { id } = await contexts.create(NEW_CONTEXT)
    await uploadText(session, id, 'a.txt', 'Text.')
    isFull = true
    await contexts.update(id, { settings: { chunkSizeTokens: 100 } })
    const waiting = async () => (await contexts.settings(id)).reindexing?.waiting
    await vi.waitFor(async () => expect(await waiting()).toBe(`${FULL} (ERR_STORAGE_FULL)`), { timeout: 20_000 })
    isFull = false
    await contexts.whenReindexed(id)
    await engine.close()
  })

  it('ends at once when the caller aborts or the engine closes, and leaves no timer', async () => {
    const { engine, session } = await memoryEngine({ embeddingModels: [new SilentModel()] })
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const uuid = await session.documents.upload(id, { fileName: 'a.txt', content: Buffer.from('Text.') })
    const caller = new AbortController()
    const givenUp = session.documents.whenProcessed(uuid, { signal: caller.signal })
    const closed = session.documents.whenProcessed(uuid)
    const refusals = [expect(givenUp).rejects.toThrow('no longer'), expect(closed).rejects.toBeInstanceOf(ClosedError)]
    caller.abort(new Error('no longer'))
    await refusals[0]
    await engine.close()
    await Promise.all(refusals)
    await expect(session.documents.whenProcessed(uuid)).rejects.toBeInstanceOf(ClosedError)
  })
})
