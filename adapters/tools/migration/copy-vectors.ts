import { MigrationFailedError } from '../../../src/index.js'
import type { VectorIndex, VectorKey } from '../../../src/ports/index.js'
import type { SqliteSnapshot } from '../../knex/index.js'

interface VectorCopyInput {
  readonly source: VectorIndex
  readonly target: VectorIndex
  /** The source of the completed documents and their windows. */
  readonly snapshot: SqliteSnapshot
  readonly signal: AbortSignal
  /** Called after each document with the number of its vectors. */
  readonly onCopied: (vectors: number) => void
}

/** The result of a copy. */
export interface CopiedVectors {
  readonly vectors: number
  /** UUIDs of completed documents that have fewer vectors than windows. */
  readonly documentsWithoutVectors: readonly string[]
}

/** Windows of one document, with their vectors. */
interface Part {
  readonly keys: readonly VectorKey[]
  readonly vectors: readonly Float32Array[]
}

/**
 * Copies the vectors of completed documents from one index to another, and reads them back. Vectors of an earlier copy
 * are compared, and replaced if they differ.
 *
 * @throws MigrationFailedError if the target returns other vectors than were written
 */
export async function copyVectors(input: VectorCopyInput): Promise<CopiedVectors> {
  const { source, target, snapshot, signal } = input
  const completed = new Set<number>()
  for await (const { id, isCompleted } of snapshot.documents()) if (isCompleted) completed.add(id)
  // A context may have vectors of several models. The model in use has the most.
  const vectorsByDocument = new Map<number, number>()
  let vectors = 0
  for (const name of await source.listCollections()) {
    signal.throwIfAborted()
    const targetCounts = await target.countByDocument(name)
    const counts = [...(await source.countByDocument(name))].filter(([id]) => completed.has(id))
    for (const [id, count] of counts) {
      signal.throwIfAborted()
      const sameVectors = targetCounts.get(id) === count ? await countIfSame(input, name, id) : undefined
      const copiedVectors = sameVectors ?? (await copyDocument(input, name, id))
      vectorsByDocument.set(id, Math.max(copiedVectors, vectorsByDocument.get(id) ?? 0))
      input.onCopied(count)
      vectors += copiedVectors
    }
    const sourceIds = new Set(counts.map(([id]) => id))
    for (const id of targetCounts.keys()) if (!sourceIds.has(id)) await target.deleteDocument(name, id, 0)
  }
  return { vectors, documentsWithoutVectors: await documentsWithoutVectors(snapshot, vectorsByDocument) }
}

/**
 * UUIDs of completed documents that have fewer vectors than windows.
 * @param vectors the number of vectors by document. If a document has vectors of several models, the largest number
 */
export async function documentsWithoutVectors(
  snapshot: SqliteSnapshot,
  vectors: ReadonlyMap<number, number>,
): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { id, uuid, isCompleted, windows } of snapshot.documents()) {
    if (isCompleted && (vectors.get(id) ?? 0) < windows) found.push(uuid)
  }
  return found
}

/** Counts the vectors of a document in the target. @returns `undefined` if some differ from the source */
async function countIfSame(input: VectorCopyInput, name: string, documentId: number): Promise<number | undefined> {
  let count = 0
  for await (const part of partsOf(input, name, documentId)) {
    if (!(await hasPart(input.target, name, part))) return undefined
    count += part.keys.length
  }
  return count
}

/** @returns the number of copied vectors */
async function copyDocument(input: VectorCopyInput, name: string, documentId: number): Promise<number> {
  const { target } = input
  let count = 0
  await target.deleteDocument(name, documentId, 0)
  for await (const part of partsOf(input, name, documentId)) {
    const dimensions = part.vectors[0]?.length ?? 0
    const vectors = new Float32Array(part.vectors.length * dimensions)
    for (const [row, vector] of part.vectors.entries()) vectors.set(vector, row * dimensions)
    const chunks = Uint32Array.from(part.keys, ({ chunk }) => chunk)
    const windows = Uint16Array.from(part.keys, ({ window }) => window)
    await target.add({ name, dimensions }, { documentId, chunks, windows, vectors })
    count += part.keys.length
    if (await hasPart(target, name, part)) continue
    throw new MigrationFailedError(
      `the database returned other vectors of document ${documentId} than were written: check its disk, then retry`,
    )
  }
  return count
}

/** Yields the vectors of a document in the source. The doctor reports missing ones. */
async function* partsOf({ source, snapshot, signal }: VectorCopyInput, name: string, documentId: number) {
  for await (const windows of snapshot.windows(documentId)) {
    signal.throwIfAborted()
    const keys = windows.map((window): VectorKey => ({ documentId, ...window }))
    // 0 dimensions: vectors of any length are read as they are.
    const found = await source.read({ name, dimensions: 0 }, keys)
    const part = { keys: keys.filter((_, index) => found[index] !== undefined), vectors: found.filter(isVector) }
    if (part.keys.length > 0) yield part satisfies Part
  }
}

async function hasPart(target: VectorIndex, name: string, { keys, vectors }: Part): Promise<boolean> {
  const found = await target.read({ name, dimensions: vectors[0]?.length ?? 0 }, keys)
  return vectors.every((vector, index) => bytesOf(vector).equals(bytesOf(found[index] ?? new Float32Array())))
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

function isVector(vector: Float32Array | undefined): vector is Float32Array {
  return vector !== undefined
}
