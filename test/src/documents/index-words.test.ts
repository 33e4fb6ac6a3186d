import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BACKUP_JOB } from '../../../src/ports/index.js'
import { memoryEngine } from '../engine/memory-engine.js'
import { gate, smallText, WordEngine } from '../engine/word-engine.js'

const LONG = { timeout: 30_000, interval: 20 }
const BIRDS = ['heron', 'kingfisher', 'owl', 'swift', 'wren']

let engine: WordEngine

beforeEach(async () => {
  engine = new WordEngine()
  await engine.open()
})

afterEach(async () => {
  engine.hook = () => undefined
  await engine.close()
})

/**
 * A closed folder with a document for each bird, in the state of a version without a word index.
 * @returns the context
 */
async function olderFolder(): Promise<number> {
  const contextId = await engine.newContext()
  for (const [at, bird] of BIRDS.entries()) {
    const uuid = await engine.upload(contextId, `${at}.txt`, smallText(bird))
    await engine.opened.session.documents.whenProcessed(uuid)
  }
  await engine.close()
  for (const name of await engine.words.listCollections()) await engine.words.drop(name)
  await setVersions(null)
  return contextId
}

async function setVersions(wordsVersion: number | null): Promise<void> {
  await engine.storage.transaction(async ({ documents }) => {
    for (const [at] of BIRDS.entries()) await documents.update(at + 1, { wordsVersion })
  })
}

async function versions(): Promise<(number | null | undefined)[]> {
  return await engine.storage.read(async ({ documents }) => {
    return (await documents.find(BIRDS.map((_, at) => at + 1))).map(({ wordsVersion }) => wordsVersion)
  })
}

async function expectAllFound(contextId: number): Promise<void> {
  await vi.waitFor(async () => expect(await versions()).toEqual(BIRDS.map(() => 1)), LONG)
  await engine.untilNoJob('index-words')
  for (const [at, bird] of BIRDS.entries()) expect(await engine.foundByWords(contextId, bird)).toEqual([at + 1])
  const records = await engine.storage.read(({ documents }) => documents.find(BIRDS.map((_, at) => at + 1)))
  const rows = await engine.rows(engine.words)
  expect(rows.sort(([, one], [, other]) => one - other)).toEqual(
    records.map(({ id, chunkCount }) => [`context-${contextId}-words-1`, id, chunkCount]),
  )
}

describe('documents of a folder without words', () => {
  // W10
  it('are indexed in the background, one after the other, while searches by meaning find them all', async () => {
    const contextId = await olderFolder()
    const [second, goOn] = [gate(), gate()]
    let adds = 0
    engine.hook = async (step) => {
      if (step !== 'words:add') return
      adds += 1
      if (adds !== 2) return
      second.open()
      await goOn.opened
    }
    const { session, telemetry } = await engine.open()
    await second.opened
    expect(await versions()).toEqual([1, null, null, null, null])
    expect(await engine.foundByWords(contextId, 'heron')).toEqual([1])
    const prompt = 'Row 20 has kingfisher seeds.'
    const [nearest] = await session.search(contextId, prompt, { mode: 'semantic' })
    expect(nearest?.content).toContain('kingfisher')
    const found = await session.search(contextId, prompt, { topN: 100 })
    expect(new Set(found.map(({ docId }) => docId))).toEqual(new Set([1, 2, 3, 4, 5]))
    goOn.open()
    await expectAllFound(contextId)
    expect(engine.model.texts).toBe(0)
    const reports = telemetry.events.filter(({ name }) => name === 'ingestion.words.indexed')
    expect(reports).toEqual([expect.objectContaining({ fields: { contextId, documents: 5, isAtEnd: true } })])
  })

  // W10
  it('are indexed only once, not at the next start', async () => {
    const contextId = await olderFolder()
    await engine.open()
    await expectAllFound(contextId)
    await engine.close()
    const adds: string[] = []
    engine.hook = (step) => adds.push(step)
    const { engine: next } = await engine.open()
    await next.whenCleared()
    await engine.untilNoJob('index-words')
    expect(adds).toEqual([])
  })

  // W11
  it('with words of another analyzer version are all indexed, and the older words are dropped', async () => {
    const contextId = await olderFolder()
    const [older, newer] = [`context-${contextId}-words-0`, `context-${contextId}-words-2`]
    for (const name of [older, newer]) await engine.words.add(name, { documentId: 1, chunks: [0], terms: [['old']] })
    await setVersions(0)
    const kept: boolean[] = []
    engine.hook = async (step) => {
      if (step === 'words:add') kept.push((await engine.words.listCollections()).includes(older))
    }
    await engine.open()
    await vi.waitFor(async () => expect(await engine.words.listCollections()).not.toContain(older), LONG)
    expect(await engine.words.listCollections()).toContain(newer)
    // Searches of an older process find by these words until the last document is indexed.
    expect(kept).toEqual(BIRDS.map(() => true))
    await engine.words.drop(newer)
    await expectAllFound(contextId)
  })

  // W13
  it('are indexed once when several processes share the database', async () => {
    const contextId = await olderFolder()
    const added: number[] = []
    const add = engine.words.add.bind(engine.words)
    engine.words.add = async (collection, rows) => {
      added.push(rows.documentId)
      await add(collection, rows)
    }
    const shared = { isAlone: false, isShared: true }
    await engine.open(shared)
    const ports = { storage: engine.storage, fileStore: engine.fileStore, vectorIndex: engine.vectors }
    const others = await Promise.all(
      [1, 2].map(async () => await memoryEngine({ ...ports, lexicalIndex: engine.words, ...shared })),
    )
    await expectAllFound(contextId)
    expect(added.sort()).toEqual([1, 2, 3, 4, 5])
    await Promise.all(others.map(async (other) => await other.engine.close()))
  })

  // W12
  it.each([['words:delete'], ['words:add'], ['words:added']] as const)(
    'are indexed despite an error at %s: the failed ones by a retry',
    async (failing) => {
      const contextId = await olderFolder()
      let times = 0
      engine.hook = (step) => {
        if (step !== failing) return
        times += 1
        if (times === 2) throw new Error('the index stumbles')
      }
      const { telemetry } = await engine.open()
      await expectAllFound(contextId)
      expect(telemetry.events.filter(({ name }) => name === 'jobs.failed')).toHaveLength(1)
    },
  )

  // W12
  it('are indexed by the next process after one ends, except those that were done', async () => {
    const contextId = await olderFolder()
    const ended = gate()
    let adds = 0
    engine.hook = (step) => {
      if (step !== 'words:added') return
      adds += 1
      if (adds < 3) return
      ended.open()
      throw new Error('the process ends')
    }
    await engine.open()
    await ended.opened
    await engine.close()
    expect(await versions()).toEqual([1, 1, null, null, null])
    adds = 0
    engine.hook = (step) => {
      if (step === 'words:add') adds += 1
    }
    await engine.open()
    await expectAllFound(contextId)
    expect(adds).toBe(3)
  })

  // W12
  it('wait for the end of a backup', async () => {
    const contextId = await olderFolder()
    const [backup] = await engine.storage.transaction(async ({ jobs }) => {
      await jobs.enqueue(BACKUP_JOB)
      return await jobs.claim({ kinds: [BACKUP_JOB.kind], leaseMs: 60_000 })
    })
    const steps: string[] = []
    engine.hook = (step) => steps.push(step)
    // Another process makes the backup.
    await engine.open({ isAlone: false })
    await new Promise((resolve) => setTimeout(resolve, 1_200))
    expect(steps).toEqual([])
    expect(await engine.foundByWords(contextId, 'heron')).toEqual([])
    await engine.storage.transaction(({ jobs }) => jobs.complete(backup ?? expect.fail()))
    await expectAllFound(contextId)
  })

  // W12
  it.each(['document', 'context'] as const)(
    'that are deleted with their %s during the indexing leave no words',
    async (what) => {
      const contextId = await olderFolder()
      const [reached, goOn] = [gate(), gate()]
      engine.hook = async (step) => {
        if (step !== 'words:add') return
        reached.open()
        await goOn.opened
      }
      const { session } = await engine.open()
      await reached.opened
      const [first] = await session.documents.list(contextId)
      if (what === 'document') await session.documents.delete(first?.fileName ?? '')
      else await session.contexts.delete(contextId)
      await engine.untilNoJob('purge-document', 'purge-context')
      goOn.open()
      await engine.untilNoJob('index-words')
      const ids = what === 'document' ? [2, 3, 4, 5] : []
      await vi.waitFor(async () => expect((await engine.rows(engine.words)).map(([, id]) => id)).toEqual(ids), LONG)
    },
  )

  // W12
  it('that a repair resets during the indexing are found after their processing, with each chunk once', async () => {
    const contextId = await olderFolder()
    const [reached, goOn] = [gate(), gate()]
    let isHeld = false
    engine.hook = async (step) => {
      if (step !== 'words:add' || isHeld) return
      isHeld = true
      reached.open()
      await goOn.opened
    }
    const { engine: opened } = await engine.open()
    await reached.opened
    await engine.storage.transaction(async ({ documents, jobs }) => {
      const beginning = { started: null, completed: null, chunkCount: 0, receipt: null, embeddedChunks: 0 }
      await documents.update(1, beginning)
      await jobs.enqueue({ kind: 'ingest-document', subject: 1, lane: contextId })
    })
    await vi.waitFor(async () => {
      expect((await engine.storage.read(({ documents }) => documents.get(1)))?.completed).not.toBeNull()
    }, LONG)
    goOn.open()
    await engine.untilNoJob('index-words')
    const { problems } = await opened.administration.verify({ repair: true })
    expect(problems.filter(({ code }) => !code.startsWith('words-'))).toEqual([])
    await expectAllFound(contextId)
  })
})
