import { afterEach, describe, expect, it } from 'vitest'
import { MemoryStorage } from '../../../adapters/memory/index.js'
import { wordCollectionOf } from '../../../src/documents/collections.js'
import { INDEX_WORDS } from '../../../src/documents/document-jobs.js'
import { BACKUP_JOB } from '../../../src/ports/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

let opened: MemoryEngine | undefined

afterEach(async () => {
  await opened?.engine.close()
  opened = undefined
})

/** Two contexts, the first with two documents, the second with one. All have words. */
async function filled() {
  const made = await memoryEngine()
  opened = made
  const { session, lexicalIndex } = made
  const { id } = await session.contexts.create(NEW_CONTEXT)
  const other = await session.contexts.create({ ...NEW_CONTEXT, name: 'Other' })
  const [doomed, kept] = [
    await uploadText(session, id, 'a.txt', 'A lamp.'),
    await uploadText(session, id, 'b.txt', 'B'),
  ]
  await uploadText(session, other.id, 'a.txt', 'Another lamp.')
  // The folder also has words of another version of the analyzer.
  for (const version of [1, 2]) {
    for (const documentId of [1, 2]) {
      await lexicalIndex.add(wordCollectionOf({ id, generation: 0 }, version), {
        documentId,
        chunks: [7],
        terms: [['lamp']],
      })
    }
  }
  await lexicalIndex.add(wordCollectionOf({ id: other.id, generation: 0 }), {
    documentId: 3,
    chunks: [7],
    terms: [['lamp']],
  })
  const documentsIn = async (contextId: number, version: number): Promise<number[]> =>
    [...(await lexicalIndex.countByDocument(wordCollectionOf({ id: contextId, generation: 0 }, version))).keys()].sort()
  return { ...made, contextId: id, otherId: other.id, doomed, kept, documentsIn }
}

describe('the words of deleted data', () => {
  // W43
  it('are removed from every collection of a document’s context, and those of other documents stay', async () => {
    const { engine, session, contextId, otherId, doomed, documentsIn } = await filled()
    await session.documents.delete(doomed)
    await engine.whenCleared()
    for (const version of [1, 2]) expect(await documentsIn(contextId, version)).toEqual([2])
    expect(await documentsIn(otherId, 1)).toEqual([3])
  })

  // W44
  it('are dropped with the collections of a context, and so is the job that would index them', async () => {
    const { engine, session, storage, lexicalIndex, contextId, otherId } = await filled()
    await storage.transaction(({ jobs }) =>
      jobs.enqueue({ kind: INDEX_WORDS, subject: contextId }, { delayMs: 600_000 }),
    )
    await session.contexts.delete(contextId)
    await engine.whenCleared()
    expect(await lexicalIndex.listCollections()).toEqual([wordCollectionOf({ id: otherId, generation: 0 })])
    expect(await storage.read(({ jobs }) => jobs.subjects(INDEX_WORDS, { after: 0, limit: 9 }))).toEqual([])
  })

  // W45
  it('of a context are removed by the next process after one was killed during the purge', async () => {
    const storage = new KeptStorage()
    const first = await memoryEngine({ storage })
    const { id } = await first.session.contexts.create(NEW_CONTEXT)
    await uploadText(first.session, id, 'a.txt', 'A lamp.')
    await first.engine.whenCleared()
    await first.engine.close()
    await storage.transaction(({ contexts }) => contexts.update(id, { deleted: new Date().toISOString() }))
    const next = await memoryEngine({ storage })
    opened = next
    await next.lexicalIndex.add(wordCollectionOf({ id, generation: 0 }), {
      documentId: 1,
      chunks: [0],
      terms: [['lamp']],
    })
    await next.engine.whenCleared()
    expect(await next.lexicalIndex.listCollections()).toEqual([])
  })

  // W46
  it('stay while a backup copies them, and are removed after that', async () => {
    const { engine, session, storage, contextId, doomed, documentsIn } = await filled()
    const [backup] = await storage.transaction(async ({ jobs }) => {
      await jobs.enqueue(BACKUP_JOB)
      return await jobs.claim({ kinds: [BACKUP_JOB.kind], leaseMs: 60_000 })
    })
    await session.documents.delete(doomed)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(await documentsIn(contextId, 1)).toEqual([1, 2])
    await storage.transaction(async ({ jobs }) => backup !== undefined && (await jobs.complete(backup)))
    await engine.whenCleared()
    expect(await documentsIn(contextId, 1)).toEqual([2])
  })
})

/** Ports that outlive an engine. */
class KeptStorage extends MemoryStorage {
  override async close(): Promise<void> {
    await Promise.resolve()
  }
}
