import type { DocumentRecord, EmbeddingProfile, VectorCollection, VectorIndex, VectorKey } from '../../ports/index.js'
import { inParts } from '../../shared/in-parts.js'
import { TimeSlice } from '../../shared/time-slice.js'
import { CollectionReading } from './collection-reading.js'

/** Vectors that are read of one document. All of them are counted. */
const SAMPLES_PER_DOCUMENT = 8
const VECTORS_PER_READ = 512
/** How far from 1 the length of a vector may be whose model gives them the length 1. */
const LENGTH_TOLERANCE = 0.01

/** What is wrong with a vector that was read. */
export interface VectorProblem {
  readonly code: 'vectors-missing' | 'vectors-invalid'
  readonly chunk: number
}

/** The vectors of a context under its model, as far as they can be read. */
export class ContextVectors extends CollectionReading {
  readonly collection: VectorCollection
  /** Of each document that has any. */
  counts: ReadonlyMap<number, number> = new Map()
  readonly #index: VectorIndex
  readonly #profile: EmbeddingProfile

  constructor(index: VectorIndex, collection: VectorCollection, profile: EmbeddingProfile) {
    super()
    this.#index = index
    this.collection = collection
    this.#profile = profile
  }

  async count(): Promise<void> {
    this.counts = (await this.reading(() => this.#index.countByDocument(this.collection.name))) ?? this.counts
  }

  /** Reads some vectors of each document, and looks whether they can be vectors of the model. */
  async sample(documents: readonly DocumentRecord[], signal: AbortSignal): Promise<ReadonlyMap<number, VectorProblem>> {
    const problems = new Map<number, VectorProblem>()
    const slice = new TimeSlice()
    for (const keys of inParts(documents.flatMap(sampleOf), VECTORS_PER_READ)) {
      signal.throwIfAborted()
      const vectors = await this.reading(() => this.#index.read(this.collection, keys))
      if (vectors === undefined) return new Map()
      for (const [at, { documentId, chunk }] of keys.entries()) {
        const code = problemOf(vectors[at], this.#profile)
        if (code !== undefined && !problems.has(documentId)) problems.set(documentId, { code, chunk })
        await slice.breathe()
      }
    }
    return problems
  }
}

/** The first windows of chunks at even distances. */
function sampleOf({ id, chunkCount }: DocumentRecord): VectorKey[] {
  const samples = Math.min(SAMPLES_PER_DOCUMENT, chunkCount)
  const step = samples < 2 ? 0 : (chunkCount - 1) / (samples - 1)
  return Array.from({ length: samples }, (_, at) => ({ documentId: id, chunk: Math.round(at * step), window: 0 }))
}

function problemOf(vector: Float32Array | undefined, profile: EmbeddingProfile): VectorProblem['code'] | undefined {
  if (vector === undefined) return 'vectors-missing'
  if (vector.length !== profile.dimensions) return 'vectors-invalid'
  let squares = 0
  for (const component of vector) squares += component * component
  // What is not finite comes through the sum.
  const isPossible = profile.normalized
    ? Math.abs(Math.sqrt(squares) - 1) <= LENGTH_TOLERANCE
    : Number.isFinite(squares)
  return isPossible ? undefined : 'vectors-invalid'
}
