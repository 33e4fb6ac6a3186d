import { PURGE_CONTEXT } from '../contexts/index.js'
import { inBatches } from '../kernel/batches.js'
import { TimeSlice } from '../kernel/scheduling/time-slice.js'
import {
  AlcoveError,
  type ContextRecord,
  type DocumentRecord,
  type EmbeddingProfile,
  type VectorCollection,
  type VectorIndex,
  type VectorKey,
} from '../ports/index.js'
import { CollectionReader, type WordEvidence, wordFindings } from './context-words.js'
import type { Finding, ProblemSubject } from './finding.js'

/** Facts about a context that its record does not have. */
interface ContextEvidence {
  /** Names of its collections of vectors. */
  readonly vectorCollections: readonly string[]
  readonly vectors: ContextVectors | undefined
  readonly isModelKnown: boolean
  readonly isModelUsable: boolean
  readonly usedBytes: number
  readonly isPurgeWaiting: boolean
  /** Undefined if the context is deleted. */
  readonly words: WordEvidence | undefined
}

/** The problems of a context itself, without those of its documents. */
export function contextFindings(context: ContextRecord, evidence: ContextEvidence): Finding[] {
  if (context.deleted !== null) return evidence.isPurgeWaiting ? [] : [notPurged(context)]
  return [
    ...(evidence.usedBytes > context.maxSizeBytes ? [quotaExceeded(context, evidence.usedBytes)] : []),
    ...(evidence.isModelKnown ? collectionFindings(context, evidence) : [modelUnknown(context)]),
    ...(evidence.words === undefined ? [] : wordFindings(context, evidence.words)),
  ]
}

type Remedy = Pick<Finding, 'repairKind' | 'advice'>

function findingOf(
  { id, name }: ContextRecord,
  code: Finding['code'],
  problem: string,
  remedy: Remedy,
  subject: ProblemSubject = {},
): Finding {
  return {
    code,
    subject: { contextId: id, ...subject },
    message: `Context ${id} (${name}) ${problem}.`,
    remoteMessage: `Context ${id} ${problem}.`,
    ...remedy,
  }
}

function notPurged(context: ContextRecord): Finding {
  const problem = 'is deleted, but some of its data is still on the disk, and no job removes it'
  return findingOf(context, 'purge-missing', problem, { repairKind: 'sweep' }, { job: PURGE_CONTEXT })
}

function quotaExceeded(context: ContextRecord, usedBytes: number): Finding {
  const problem = `has documents of ${usedBytes} bytes; its limit is ${context.maxSizeBytes} bytes`
  const advice = 'Delete documents, or raise settings.maxSizeBytes; until then the context refuses uploads.'
  return findingOf(context, 'quota-exceeded', problem, { advice })
}

function modelUnknown(context: ContextRecord): Finding {
  const model = context.embeddingModel
  const problem = `uses the embedding model ${model}, which this engine does not have`
  const advice =
    'Open the engine with that model too (modelDirs, embeddingModels); until then the context cannot be searched.'
  return findingOf(context, 'model-unknown', problem, { advice }, { model })
}

function collectionFindings(
  context: ContextRecord,
  { vectorCollections, vectors, isModelUsable }: ContextEvidence,
): Finding[] {
  const ownCollection = vectors?.collection.name
  // Without its model nothing can compute the vectors: the existing ones stay.
  const remedy: Remedy = isModelUsable
    ? { repairKind: 'drop-collection' }
    : { advice: 'Its embedding model cannot be used: repair the model first.' }
  const findings: Finding[] = []
  for (const collection of vectorCollections) {
    if (collection === ownCollection) continue
    const problem = `has vectors of another model, in the collection ${collection}`
    findings.push(findingOf(context, 'collection-of-other-model', problem, remedy, { collection }))
  }
  if (vectors?.isDamaged === true) {
    const collection = vectors.collection.name
    const problem = `has vectors that cannot be read, in the collection ${collection}`
    findings.push(findingOf(context, 'collection-unreadable', problem, remedy, { collection }))
  }
  if (vectors?.isUnknown === true) findings.push(unreadableNow(context, vectors))
  return findings
}

/** Has no repair: a collection that only cannot be read for a while must not be removed. */
function unreadableNow(context: ContextRecord, { collection: { name: collection }, failure }: ContextVectors): Finding {
  const reason = failure instanceof AlcoveError ? failure.message : 'the vector index failed'
  const problem = `has vectors that cannot be read now, in the collection ${collection}: ${reason}`
  const advice = 'They may be undamaged: check the disk, then run the doctor again. The engine has not changed them.'
  return findingOf(context, 'collection-unreadable', problem, { advice }, { collection })
}

/** Vectors of one document that are read. All vectors are counted. */
const SAMPLES_PER_DOCUMENT = 8
const VECTORS_PER_READ = 512
/** The largest difference of a vector's length from 1, if the model normalizes its vectors. */
const LENGTH_TOLERANCE = 0.01

/** A problem of one vector. */
export interface VectorProblem {
  readonly code: 'vectors-missing' | 'vectors-invalid'
  /** Ordinal of the chunk. */
  readonly chunk: number
}

/** The vectors of a context under its model, as far as they can be read. */
export class ContextVectors extends CollectionReader {
  readonly collection: VectorCollection
  /** Number of vectors by document id. Documents without vectors are not in it. */
  counts: ReadonlyMap<number, number> = new Map()
  readonly #index: VectorIndex
  readonly #profile: EmbeddingProfile
  #isSearched = false

  constructor(index: VectorIndex, collection: VectorCollection, profile: EmbeddingProfile) {
    super()
    this.#index = index
    this.collection = collection
    this.#profile = profile
  }

  async count(): Promise<void> {
    this.counts = (await this.tryRead(() => this.#index.countByDocument(this.collection.name))) ?? this.counts
  }

  /**
   * Reads some vectors of each document, and checks if they can be vectors of the model. Searches once: searches read
   * files of an index, which no other check reads.
   * @returns the first problem of each document that has one
   */
  async sample(documents: readonly DocumentRecord[], signal: AbortSignal): Promise<ReadonlyMap<number, VectorProblem>> {
    const problems = new Map<number, VectorProblem>()
    const slice = new TimeSlice()
    for (const keys of inBatches(documents.flatMap(sampleKeys), VECTORS_PER_READ)) {
      signal.throwIfAborted()
      const vectors = await this.tryRead(() => this.#index.read(this.collection, keys))
      if (vectors === undefined) return new Map()
      for (const [row, { documentId, chunk }] of keys.entries()) {
        const code = problemOf(vectors[row], this.#profile)
        if (code !== undefined && !problems.has(documentId)) problems.set(documentId, { code, chunk })
        await slice.pauseIfOver()
      }
      await this.#search(keys, vectors)
    }
    return problems
  }

  async #search(keys: readonly VectorKey[], vectors: readonly (Float32Array | undefined)[]): Promise<void> {
    const row = this.#isSearched ? -1 : vectors.findIndex((vector) => vector?.length === this.#profile.dimensions)
    const [key, vector] = [keys[row], vectors[row]]
    if (key === undefined || vector === undefined) return
    this.#isSearched = true
    await this.tryRead(() => this.#index.search(this.collection, vector, { limit: 1 }))
    await this.tryRead(() => this.#index.nearestWindows(this.collection, [vector], [key]))
  }
}

/** The first windows of chunks at even distances. */
function sampleKeys({ id, chunkCount }: DocumentRecord): VectorKey[] {
  const samples = Math.min(SAMPLES_PER_DOCUMENT, chunkCount)
  const step = samples < 2 ? 0 : (chunkCount - 1) / (samples - 1)
  return Array.from({ length: samples }, (_, sample) => ({
    documentId: id,
    chunk: Math.round(sample * step),
    window: 0,
  }))
}

function problemOf(vector: Float32Array | undefined, profile: EmbeddingProfile): VectorProblem['code'] | undefined {
  if (vector === undefined) return 'vectors-missing'
  if (vector.length !== profile.dimensions) return 'vectors-invalid'
  let squares = 0
  for (const component of vector) squares += component * component
  // A component that is not finite makes the sum not finite.
  const isPossible = profile.normalized
    ? Math.abs(Math.sqrt(squares) - 1) <= LENGTH_TOLERANCE
    : Number.isFinite(squares)
  return isPossible ? undefined : 'vectors-invalid'
}
