import assert from 'node:assert/strict'
import type { FileStore, LexicalIndex, Storage, VectorCollection, VectorIndex } from '../../src/ports/index.js'
import { type CreateSubject, collect, defineSuite, inPieces, rejectsWith, type TestRunner } from './harness.js'
import { textRows, weighed } from './lexical-rows.js'

/** An adapter whose disk the test can make read-only, and writable again. */
export interface PortOnDisk<Port> {
  readonly port: Port
  readonly setReadOnly: (isReadOnly: boolean) => Promise<void>
}

type CreateOnDisk<Port> = CreateSubject<PortOnDisk<Port>>

/** Tests for a FileStore with `requireWritable`. */
export function readOnlyFilesSuite(runner: TestRunner, name: string, create: CreateOnDisk<FileStore>): void {
  defineReadOnlySuite(runner, `FileStore on a read-only disk: ${name}`, create, {
    write: async (files, number) => {
      await files.write(keyOf(number), inPieces(Uint8Array.of(number), 1), { maxBytes: 1 })
    },
    read: async (files) => {
      const keys = (await collect(files.list())).sort()
      return await Promise.all(keys.map(async (key) => Buffer.concat(await collect(files.read(key)))[0] ?? 0))
    },
  })
}

/** Tests for a VectorIndex with `requireWritable`. */
export function readOnlyVectorsSuite(runner: TestRunner, name: string, create: CreateOnDisk<VectorIndex>): void {
  const collection: VectorCollection = { name: 'context-1-model-0a1b', dimensions: 4 }
  const vector = Float32Array.of(1, 0, 0, 0)
  defineReadOnlySuite(runner, `VectorIndex on a read-only disk: ${name}`, create, {
    write: async (index, documentId) => {
      const rows = { documentId, chunks: Uint32Array.of(0), windows: Uint16Array.of(0), vectors: vector }
      await index.add(collection, rows)
    },
    read: async (index) => (await index.search(collection, vector, { limit: 9 })).map(({ documentId }) => documentId),
  })
}

/** Tests for a LexicalIndex with `requireWritable`. */
export function readOnlyWordsSuite(runner: TestRunner, name: string, create: CreateOnDisk<LexicalIndex>): void {
  const collection = 'context-1-words-1'
  defineReadOnlySuite(runner, `LexicalIndex on a read-only disk: ${name}`, create, {
    write: async (index, documentId) => {
      await index.add(collection, textRows(documentId, ['lamp']))
    },
    read: async (index) => {
      const { hits } = await index.search(collection, weighed('lamp'), { limit: 9 })
      return hits.map(({ documentId }) => documentId)
    },
  })
}

/** Tests for a Storage with `requireWritable`. `create` returns a storage that is not open yet. */
export function readOnlyStorageSuite(runner: TestRunner, name: string, create: CreateOnDisk<Storage>): void {
  const createOpen: CreateOnDisk<Storage> = async () => {
    const subject = await create()
    await subject.port.port.open()
    return subject
  }
  const numbers = [1, 2, 3]
  defineReadOnlySuite(runner, `Storage on a read-only disk: ${name}`, createOpen, {
    write: async (storage, number) => {
      await storage.transaction(({ settings }) => settings.put(`number-${number}`, 'written'))
    },
    read: async (storage) =>
      await storage.read(async ({ settings }) => {
        const found = await Promise.all(numbers.map((number) => settings.get(`number-${number}`)))
        return numbers.filter((_, at) => found[at] !== undefined)
      }),
  })
}

/** Writes one of few numbers, and reads those that were written. */
interface Use<Port> {
  readonly write: (port: Port, number: number) => Promise<void>
  readonly read: (port: Port) => Promise<readonly number[]>
}

function defineReadOnlySuite<Port extends { requireWritable?(): Promise<void> }>(
  runner: TestRunner,
  title: string,
  create: CreateOnDisk<Port>,
  { write, read }: Use<Port>,
): void {
  const requireWritable = async (port: Port): Promise<void> => {
    assert.ok(port.requireWritable !== undefined, 'the adapter has requireWritable')
    await port.requireWritable()
  }
  const readSorted = async (port: Port): Promise<number[]> => [...(await read(port))].sort()

  defineSuite(runner, title, create, (test) => {
    test('passes before the first write and after it, and leaves nothing', async ({ port }) => {
      await requireWritable(port)
      await write(port, 1)
      await requireWritable(port)
      assert.deepEqual(await readSorted(port), [1])
    })

    test('says that the disk is read-only while it is, reads go on, and no write is half done', async (subject) => {
      const { port, setReadOnly } = subject
      await write(port, 1)
      await setReadOnly(true)
      await rejectsWith('ERR_STORAGE_READ_ONLY', requireWritable(port))
      assert.deepEqual(await readSorted(port), [1])
      // A file that was open before may take data still.
      const isWritten = await isAccepted(write(port, 2))
      assert.deepEqual(await readSorted(port), isWritten ? [1, 2] : [1])
      await setReadOnly(false)
      await requireWritable(port)
      await write(port, 3)
      assert.deepEqual(await readSorted(port), isWritten ? [1, 2, 3] : [1, 3])
    })

    test('says so before the first write, which fails and succeeds once the disk is writable', async (subject) => {
      const { port, setReadOnly } = subject
      await setReadOnly(true)
      await rejectsWith('ERR_STORAGE_READ_ONLY', requireWritable(port))
      const isWritten = await isAccepted(write(port, 1))
      await setReadOnly(false)
      await requireWritable(port)
      await write(port, 2)
      assert.deepEqual(await readSorted(port), isWritten ? [1, 2] : [2])
    })
  })
}

/** @throws AssertionError if the work fails with another error than that of a read-only disk */
async function isAccepted(work: Promise<void>): Promise<boolean> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (outcome === undefined) return true
  await rejectsWith('ERR_STORAGE_READ_ONLY', work)
  return false
}

function keyOf(number: number): string {
  return `0f9a8960-36ac-426d-9b1e-3c5d7e9f1a2${number}`
}
