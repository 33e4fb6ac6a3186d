import { describe, expect, it } from 'vitest'
import { MemoryLexicalIndex, MemoryStorage } from '../../../adapters/memory/index.js'
import { ANALYZER_VERSION } from '../../../src/analysis/index.js'
import type { Finding } from '../../../src/doctor/finding.js'
import { WordRepair } from '../../../src/doctor/word-repair.js'
import { wordCollectionOf } from '../../../src/documents/collections.js'
import { INDEX_WORDS } from '../../../src/documents/document-jobs.js'
import { NOW, seedCompany, seedContext, seedDocument } from '../../conformance/storage/storage-seed.js'

const UUIDS = ['0f9a8960-36ac-426d-9b1e-3c5d7e9f1a2b', '11111111-2222-4333-8444-555555555555']

/** A context with a completed document and one that is being processed; both are recorded as having words. */
async function seeded() {
  const [storage, index] = [new MemoryStorage(), new MemoryLexicalIndex()]
  const documents = await storage.transaction(async (repositories) => {
    const context = await seedContext(repositories, await seedCompany(repositories))
    const [completed, underWay] = UUIDS
    return [
      await seedDocument(repositories, context, completed ?? '', { completed: NOW, wordsVersion: ANALYZER_VERSION }),
      await seedDocument(repositories, context, underWay ?? '', { wordsVersion: ANALYZER_VERSION }),
    ] as const
  })
  const contextId = documents[0].contextId
  const collection = wordCollectionOf({ id: contextId, generation: 0 })
  await index.add(collection, { documentId: documents[0].id, chunks: [0], terms: [['lamp']] })
  const damaged: Finding = {
    code: 'words-unreadable',
    subject: { contextId, collection },
    message: '',
    repairKind: 'drop-words',
  }
  const versions = async () =>
    (await storage.read((all) => all.documents.find(documents.map(({ id }) => id)))).map(
      ({ wordsVersion }) => wordsVersion,
    )
  return { storage, index, documents, contextId, damaged, versions, repair: new WordRepair(storage, index) }
}

function options(wake: () => Promise<void> = async () => undefined) {
  const progress: number[] = []
  return {
    progress,
    signal: AbortSignal.timeout(20_000),
    untilNoBackup: async () => undefined,
    wake: () => void wake(),
    onProgress: (documents: number, total: number) => void progress.push(documents, total),
  }
}

describe('a repair of words', () => {
  // W59
  it('of a damaged collection also forgets the words of documents that are being processed', async () => {
    const { repair, index, damaged, versions, storage, contextId } = await seeded()
    await repair.start([damaged], options())
    expect(await index.listCollections()).toEqual([])
    expect(await versions()).toEqual([null, null])
    expect(await storage.read(({ jobs }) => jobs.subjects(INDEX_WORDS, { after: 0, limit: 9 }))).toEqual([contextId])
  })

  // W59
  it('of a collection that cannot be dropped leaves its documents unchanged', async () => {
    const { repair, index, damaged, versions } = await seeded()
    index.drop = async () => await Promise.reject(new Error('the disk fails'))
    expect(await repair.start([damaged], options())).toEqual(new Map())
    expect(await versions()).toEqual([ANALYZER_VERSION, ANALYZER_VERSION])
  })

  // W60
  it('with a job that waits for an hour after repeated failures reports a failure', async () => {
    const { repair, storage, contextId, damaged } = await seeded()
    const job = { kind: INDEX_WORDS, subject: contextId, lane: contextId }
    await storage.transaction(({ jobs }) => jobs.enqueue(job, { delayMs: 3_600_000 }))
    const forgotten = await repair.start([damaged], options())
    expect(await repair.finish(forgotten, [damaged], options())).toEqual(new Set([contextId]))
  })

  // W60
  it('with a job that finished without the documents enqueues another one', async () => {
    const { repair, storage, contextId, damaged, documents } = await seeded()
    const forgotten = await repair.start([damaged], options())
    const end = async () =>
      await storage.transaction(({ jobs }) => jobs.cancelAll([{ kind: INDEX_WORDS, subject: contextId }]))
    await end()
    let wakes = 0
    const working = options(async () => {
      wakes += 1
      await storage.transaction(
        async (all) => await all.documents.update(documents[0].id, { wordsVersion: ANALYZER_VERSION }),
      )
      await end()
    })
    expect(await repair.finish(forgotten, [damaged], working)).toEqual(new Set())
    expect(wakes).toBe(1)
    expect(working.progress.slice(-2)).toEqual([2, 2])
  })

  // W60
  it('with jobs that finish without indexing anything reports a failure', async () => {
    const { repair, storage, contextId, damaged } = await seeded()
    const forgotten = await repair.start([damaged], options())
    const failing = options(async () => {
      await storage.transaction(({ jobs }) => jobs.cancelAll([{ kind: INDEX_WORDS, subject: contextId }]))
    })
    expect(await repair.finish(forgotten, [damaged], failing)).toEqual(new Set([contextId]))
  })
})
