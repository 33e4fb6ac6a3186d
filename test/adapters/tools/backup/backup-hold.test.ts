import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemoryStorage, MemoryTextExtractor, MemoryVectorIndex } from '../../../../adapters/memory/index.js'
import { BACKUP_JOB, type ClaimedJob, type ExtractedPiece, type ExtractionSource } from '../../../../src/ports/index.js'
import { collect } from '../../../conformance/harness.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../../../src/engine/memory-engine.js'

/** Long enough for any operation that does not wait for the backup. */
const A_WHILE_MS = 300

let held: MemoryEngine
let contextId: number

beforeEach(async () => {
  held = await memoryEngine()
  contextId = (await held.session.contexts.create(NEW_CONTEXT)).id
})

afterEach(async () => {
  await held.engine.close()
})

describe('an engine whose folder is being backed up', () => {
  it('hides a deleted document at once, and keeps its file and vectors until the backup ends', async () => {
    const uuid = await uploadText(held.session, contextId, 'a.txt', 'The lamp is in the hall.')
    const backup = await hold(60_000)
    await held.session.documents.delete(uuid)
    expect(await held.session.search(contextId, 'The lamp is in the hall.')).toEqual([])
    await wait(A_WHILE_MS)
    expect(await onDisk()).toEqual({ files: [uuid], documents: 1 })
    await held.storage.transaction(({ jobs }) => jobs.complete(backup))
    await held.engine.whenCleared()
    expect(await onDisk()).toEqual({ files: [], documents: 0 })
  })

  it('keeps files and vectors of a deleted context, for a crashed backup only until its lease ends', async () => {
    const uuid = await uploadText(held.session, contextId, 'a.txt', 'The lamp is in the hall.')
    await hold(1_000)
    await held.session.contexts.delete(contextId)
    await wait(A_WHILE_MS)
    expect(await onDisk()).toEqual({ files: [uuid], documents: 1 })
    await held.engine.whenCleared()
    expect(await onDisk()).toEqual({ files: [], documents: 0 })
  })

  it('delays a repair until the backup ends, because a repair processes documents a second time', async () => {
    const uuid = await uploadText(held.session, contextId, 'a.txt', 'The lamp is in the hall.')
    const [collection = ''] = await held.vectorIndex.listCollections()
    await held.vectorIndex.deleteDocument(collection, 1, 0)
    const backup = await hold(60_000)
    const repair = held.engine.administration.verify({ repair: true })
    await wait(A_WHILE_MS)
    expect(await held.session.documents.get(uuid)).toMatchObject({ completed: expect.any(String) as string })
    await held.storage.transaction(({ jobs }) => jobs.complete(backup))
    expect((await repair).problems).toMatchObject([{ code: 'vectors-missing', isRepaired: true }])
    expect(await held.session.search(contextId, 'The lamp is in the hall.')).toHaveLength(1)
  })

  it('closes at once, and the next sweep removes no file or vector that the backup copies', async () => {
    await held.engine.close()
    const ports = { storage: new LastingStorage(), vectorIndex: new LastingIndex(), fileStore: held.fileStore }
    const first = await memoryEngine(ports)
    held = { ...first, ...ports }
    contextId = (await held.session.contexts.create(NEW_CONTEXT)).id
    const uuid = await uploadText(held.session, contextId, 'a.txt', 'The lamp is in the hall.')
    await hold(60_000)
    await held.session.contexts.delete(contextId)
    await wait(A_WHILE_MS)
    const began = performance.now()
    await first.engine.close()
    expect(performance.now() - began).toBeLessThan(5_000)
    const next = await memoryEngine(ports)
    await wait(A_WHILE_MS)
    expect(next.telemetry.events.map(({ name }) => name)).toContain('ingestion.swept')
    expect(await onDisk()).toEqual({ files: [uuid], documents: 1 })
    await next.engine.close()
  })

  it('keeps the vectors of a deleted context when the processing of a deleted document in it stops', async () => {
    const textExtractor = new WaitingExtractor('b.txt')
    await held.engine.close()
    held = await memoryEngine({ textExtractor })
    contextId = (await held.session.contexts.create(NEW_CONTEXT)).id
    await uploadText(held.session, contextId, 'a.txt', 'The lamp is in the hall.')
    const uuid = await held.session.documents.upload(contextId, { fileName: 'b.txt', content: Buffer.from('A chair.') })
    await textExtractor.reached
    await hold(60_000)
    await held.session.documents.delete(uuid)
    await held.session.contexts.delete(contextId)
    textExtractor.goOn()
    await wait(A_WHILE_MS)
    expect((await onDisk()).documents).toBe(1)
  })
})

/** An engine closes its ports; these ports ignore that and serve the next engine. */
class LastingStorage extends MemoryStorage {
  override async close(): Promise<void> {
    await Promise.resolve()
  }
}

class LastingIndex extends MemoryVectorIndex {
  override async close(): Promise<void> {
    await Promise.resolve()
  }
}

/** Stops before one file until `goOn` is called. */
class WaitingExtractor extends MemoryTextExtractor {
  readonly reached: Promise<void>
  goOn: () => void = () => undefined
  readonly #fileName: string
  #reach: () => void = () => undefined
  readonly #going: Promise<void>

  constructor(fileName: string) {
    super()
    this.#fileName = fileName
    this.reached = new Promise((resolve) => {
      this.#reach = resolve
    })
    this.#going = new Promise((resolve) => {
      this.goOn = resolve
    })
  }

  override async *extract(
    source: ExtractionSource,
    options: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<ExtractedPiece> {
    if (source.fileName === this.#fileName) {
      this.#reach()
      await this.#going
    }
    yield* super.extract(source, options)
  }
}

async function wait(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}

async function hold(leaseMs: number): Promise<ClaimedJob> {
  const [job] = await held.storage.transaction(async ({ jobs }) => {
    await jobs.enqueue(BACKUP_JOB)
    return await jobs.claim({ kinds: [BACKUP_JOB.kind], leaseMs })
  })
  if (job === undefined) throw new Error('the job is held by somebody')
  return job
}

async function onDisk(): Promise<{ readonly files: readonly string[]; readonly documents: number }> {
  let documents = 0
  for (const name of await held.vectorIndex.listCollections()) {
    documents += (await held.vectorIndex.countByDocument(name)).size
  }
  return { files: await collect(held.fileStore.list()), documents }
}
