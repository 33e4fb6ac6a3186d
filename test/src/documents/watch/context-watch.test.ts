import { expect, it } from 'vitest'
import { MemoryStorage, MemoryTelemetry } from '../../../../adapters/memory/index.js'
import { WaitingReasons } from '../../../../src/contexts/index.js'
import { ContextWatch } from '../../../../src/documents/watch/context-watch.js'
import { DocumentEventEmitter } from '../../../../src/documents/watch/document-events.js'
import { ReportedProgress } from '../../../../src/documents/watch/reported-progress.js'
import { DocumentWatch } from '../../../../src/documents/watch/watch-documents.js'
import type { DocumentState } from '../../../../src/index.js'
import { UnwritableDisk } from '../../../../src/jobs/index.js'
import { heldMemory } from '../../../used-memory.js'
import { memoryEngine, NEW_CONTEXT } from '../../engine/memory-engine.js'

const DOCUMENTS = 20_000
const MAX_BLOCK_MS = 500
const MAX_PENDING = 10_000

/** A watch whose callers can be told states of documents that no storage has. */
class OpenContextWatch extends ContextWatch {
  #listener: (state: DocumentState) => void = () => undefined

  override add(listener: (state: DocumentState) => void): void {
    this.#listener = listener
    super.add(listener)
  }

  tell(state: DocumentState): void {
    this.#listener(state)
  }
}

const NO_REASONS = new WaitingReasons({ now: () => new Date() }, new UnwritableDisk())

it('tells many deletions of another process without a long block of the event loop', async () => {
  const { engine, session, storage } = await memoryEngine({ roles: ['relay'] })
  const { id: contextId } = await session.contexts.create(NEW_CONTEXT)
  const uuid = await session.documents.upload(contextId, { fileName: 'one.txt', content: Buffer.from('One.') })
  const record = await storage.read(({ documents }) => documents.getByUuid(uuid))
  if (record === undefined) throw new Error('missing')
  // The documents were deleted after a snapshot: this storage has none of them.
  const events = new DocumentEventEmitter(new MemoryTelemetry())
  const watch = new ContextWatch(new MemoryStorage(), events, new ReportedProgress(events), NO_REASONS, contextId, 0)
  const deleted = new Set<number>()
  watch.add(({ id, status }) => {
    if (status === 'deleted') deleted.add(id)
  })
  for (let id = 1; id <= DOCUMENTS; id += 1)
    watch.follow({ current: { ...record, id, publicId: id, uuid: `${id}` }, replacement: undefined })
  let longest = 0
  for (let last = performance.now(); deleted.size < DOCUMENTS; ) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }
  expect(longest).toBeLessThan(MAX_BLOCK_MS)
  watch.close()
  await engine.close()
})

it('tells a deletion also to a caller that gets all states again, because too many changes wait', async () => {
  const { engine, session, storage } = await memoryEngine({ roles: ['relay'] })
  const { id: contextId } = await session.contexts.create(NEW_CONTEXT)
  const upload = async (fileName: string): Promise<string> =>
    await session.documents.upload(contextId, { fileName, content: Buffer.from(fileName) })
  const gone = await upload('gone.txt')
  await upload('kept.txt')
  const events = new DocumentEventEmitter(new MemoryTelemetry())
  const context = new OpenContextWatch(storage, events, new ReportedProgress(events), NO_REASONS, contextId, 0)
  const settings = {
    onReady: undefined,
    run: async <T>(work: () => Promise<T>): Promise<T> => await work(),
    checkRights: () => Promise.resolve(),
    end: () => context.close(),
  }
  const watch = new DocumentWatch(storage, contextId, context, settings)
  const { signal } = new AbortController()
  const first = await watch.next(signal)
  if (first === undefined) throw new Error('missing')
  expect(await watch.next(signal)).toMatchObject({ displayName: 'kept.txt', status: 'waiting' })
  context.tellDeleted(await session.documents.delete(gone))
  for (let id = 1; id <= MAX_PENDING + 1; id += 1) context.tell({ ...first, id: 100 + id })
  expect(await watch.next(signal)).toMatchObject({ displayName: 'kept.txt', status: 'waiting' })
  expect(await watch.next(signal)).toMatchObject({ displayName: 'gone.txt', status: 'deleted' })
  watch.end()
  await engine.close()
})

const MANY = 100_000
const MAX_BYTES_PER_DOCUMENT = 200

it.each(['completed', 'waiting'])('remembers little of each %s document', async (status) => {
  const { engine, session, storage } = await memoryEngine({ roles: ['relay'] })
  const { id: contextId } = await session.contexts.create(NEW_CONTEXT)
  const uuid = await session.documents.upload(contextId, { fileName: 'one.txt', content: Buffer.from('One.') })
  const record = await storage.read(({ documents }) => documents.getByUuid(uuid))
  if (record === undefined) throw new Error('missing')
  const events = new DocumentEventEmitter(new MemoryTelemetry())
  const watch = new ContextWatch(new MemoryStorage(), events, new ReportedProgress(events), NO_REASONS, contextId, 0)
  const completed = status === 'completed' ? record.created : null
  const before = heldMemory()
  for (let id = 1; id <= MANY; id += 1) {
    const originalName = `report of the quarter ${id}.txt`
    const current = { ...record, id, publicId: id, uuid: crypto.randomUUID(), originalName, completed }
    watch.follow({ current, replacement: undefined })
  }
  expect((heldMemory() - before) / MANY).toBeLessThan(MAX_BYTES_PER_DOCUMENT)
  expect(watch.follow({ current: { ...record, id: MANY, publicId: MANY }, replacement: undefined })).toBeDefined()
  watch.close()
  await engine.close()
})
