import { MigrationFailedError } from '../../../src/index.js'
import type { VectorIndex, VectorKey } from '../../../src/ports/index.js'
import type { SqliteSnapshot } from '../../knex/index.js'

export interface VectorCopying {
  readonly source: VectorIndex
  readonly target: VectorIndex
  /** Says which documents are completed, and which windows they have. */
  readonly snapshot: SqliteSnapshot
  readonly signal: AbortSignal
  /** Told of each part. */
  readonly copied: (vectors: number) => void
}

/** Windows of one document, with their vectors. */
interface Part {
  readonly keys: readonly VectorKey[]
  readonly vectors: readonly Float32Array[]
}

/**
 * Copies the vectors of completed documents from one index to another, and reads back what is there. What is there
 * already, of an earlier copy, is compared, and copied again where it is another.
 *
 * @returns how many there are
 * @throws MigrationFailedError where the target does not give back what it was given
 */
export async function copyVectors(copying: VectorCopying): Promise<number> {
  const { source, target, snapshot, signal } = copying
  const completed = new Set<number>()
  for await (const { id, isCompleted } of snapshot.documents()) if (isCompleted) completed.add(id)
  let sum = 0
  for (const name of await source.listCollections()) {
    signal.throwIfAborted()
    const there = await target.countByDocument(name)
    const counts = [...(await source.countByDocument(name))].filter(([id]) => completed.has(id))
    for (const [id, count] of counts) {
      signal.throwIfAborted()
      const isThere = there.get(id) === count && (await isSame(copying, name, id))
      if (!isThere) await copyDocument(copying, name, id)
      copying.copied(count)
      sum += count
    }
    const own = new Set(counts.map(([id]) => id))
    for (const id of there.keys()) if (!own.has(id)) await target.deleteDocument(name, id, 0)
  }
  return sum
}

async function isSame(copying: VectorCopying, name: string, documentId: number): Promise<boolean> {
  for await (const part of partsOf(copying, name, documentId)) {
    if (!(await isThere(copying.target, name, part))) return false
  }
  return true
}

async function copyDocument(copying: VectorCopying, name: string, documentId: number): Promise<void> {
  const { target } = copying
  await target.deleteDocument(name, documentId, 0)
  for await (const part of partsOf(copying, name, documentId)) {
    const dimensions = part.vectors[0]?.length ?? 0
    const vectors = new Float32Array(part.vectors.length * dimensions)
    for (const [row, vector] of part.vectors.entries()) vectors.set(vector, row * dimensions)
    const chunks = Uint32Array.from(part.keys, ({ chunk }) => chunk)
    const windows = Uint16Array.from(part.keys, ({ window }) => window)
    await target.add({ name, dimensions }, { documentId, chunks, windows, vectors })
    if (await isThere(target, name, part)) continue
    throw new MigrationFailedError(
      `vectors of the document ${documentId} were read from the database as others than were written to it`,
    )
  }
}

/** What the source has of a document. What it lacks is for the doctor, before or after. */
async function* partsOf({ source, snapshot, signal }: VectorCopying, name: string, documentId: number) {
  for await (const windows of snapshot.windows(documentId)) {
    signal.throwIfAborted()
    const keys = windows.map((window): VectorKey => ({ documentId, ...window }))
    // Read as they are, whatever their length.
    const found = await source.read({ name, dimensions: 0 }, keys)
    const part = { keys: keys.filter((_, at) => found[at] !== undefined), vectors: found.filter(isVector) }
    if (part.keys.length > 0) yield part satisfies Part
  }
}

async function isThere(target: VectorIndex, name: string, { keys, vectors }: Part): Promise<boolean> {
  const found = await target.read({ name, dimensions: vectors[0]?.length ?? 0 }, keys)
  return vectors.every((vector, at) => bytesOf(vector).equals(bytesOf(found[at] ?? new Float32Array())))
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

function isVector(vector: Float32Array | undefined): vector is Float32Array {
  return vector !== undefined
}
