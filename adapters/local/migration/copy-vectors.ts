import { MigrationFailedError } from '../../../src/index.js'
import type { VectorIndex, VectorKey } from '../../../src/ports/index.js'
import type { SqliteSnapshot } from '../../knex/index.js'
import { documentsWithoutVectors } from '../documents-without-vectors.js'

export interface VectorCopying {
  readonly source: VectorIndex
  readonly target: VectorIndex
  /** Says which documents are completed, and which windows they have. */
  readonly snapshot: SqliteSnapshot
  readonly signal: AbortSignal
  /** Told of each part. */
  readonly copied: (vectors: number) => void
}

/** What was copied, and what was not there to be copied. */
export interface CopiedVectors {
  readonly vectors: number
  /** UUIDs. */
  readonly documentsWithoutVectors: readonly string[]
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
 * @returns how many were copied, and completed documents that have fewer vectors than windows
 * @throws MigrationFailedError where the target does not give back what it was given
 */
export async function copyVectors(copying: VectorCopying): Promise<CopiedVectors> {
  const { source, target, snapshot, signal } = copying
  const completed = new Set<number>()
  for await (const { id, isCompleted } of snapshot.documents()) if (isCompleted) completed.add(id)
  // A context may have vectors of several models; those of the one in use are all there.
  const most = new Map<number, number>()
  let vectors = 0
  for (const name of await source.listCollections()) {
    signal.throwIfAborted()
    const there = await target.countByDocument(name)
    const counts = [...(await source.countByDocument(name))].filter(([id]) => completed.has(id))
    for (const [id, count] of counts) {
      signal.throwIfAborted()
      const same = there.get(id) === count ? await countSame(copying, name, id) : undefined
      const copied = same ?? (await copyDocument(copying, name, id))
      most.set(id, Math.max(copied, most.get(id) ?? 0))
      copying.copied(count)
      vectors += copied
    }
    const own = new Set(counts.map(([id]) => id))
    for (const id of there.keys()) if (!own.has(id)) await target.deleteDocument(name, id, 0)
  }
  return { vectors, documentsWithoutVectors: await documentsWithoutVectors(snapshot, most) }
}

/** How many vectors of a document there are; `undefined` where some are others than in the source. */
async function countSame(copying: VectorCopying, name: string, documentId: number): Promise<number | undefined> {
  let count = 0
  for await (const part of partsOf(copying, name, documentId)) {
    if (!(await isThere(copying.target, name, part))) return undefined
    count += part.keys.length
  }
  return count
}

/** @returns how many vectors */
async function copyDocument(copying: VectorCopying, name: string, documentId: number): Promise<number> {
  const { target } = copying
  let count = 0
  await target.deleteDocument(name, documentId, 0)
  for await (const part of partsOf(copying, name, documentId)) {
    const dimensions = part.vectors[0]?.length ?? 0
    const vectors = new Float32Array(part.vectors.length * dimensions)
    for (const [row, vector] of part.vectors.entries()) vectors.set(vector, row * dimensions)
    const chunks = Uint32Array.from(part.keys, ({ chunk }) => chunk)
    const windows = Uint16Array.from(part.keys, ({ window }) => window)
    await target.add({ name, dimensions }, { documentId, chunks, windows, vectors })
    count += part.keys.length
    if (await isThere(target, name, part)) continue
    throw new MigrationFailedError(
      `vectors of the document ${documentId} were read from the database as others than were written to it`,
    )
  }
  return count
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
