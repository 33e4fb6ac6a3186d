import { PURGE_CONTEXT } from '../contexts/index.js'
import { inParts } from '../kernel/in-parts.js'
import { TimeSlice } from '../kernel/time-slice.js'
import {
  AlcoveError,
  type ContextRecord,
  type DocumentRecord,
  type EmbeddingProfile,
  type VectorCollection,
  type VectorIndex,
  type VectorKey,
} from '../ports/index.js'
import type { Finding, ProblemSubject } from './finding.js'
import { CollectionReading } from './leftover-check.js'
import { type WordKnowledge, wordFindings } from './word-findings.js'

/** What is known of a context beside its record. */
interface ContextKnowledge {
  /** Of its collections of vectors. */
  readonly names: readonly string[]
  readonly vectors: ContextVectors | undefined
  readonly isModelKnown: boolean
  readonly isModelUsable: boolean
  readonly usedBytes: number
  readonly isPurgeWaiting: boolean
  /** Undefined where the context is deleted. */
  readonly ofWords: WordKnowledge | undefined
}

/** What is wrong with a context itself. */
export function contextFindings(context: ContextRecord, known: ContextKnowledge): Finding[] {
  if (context.deleted !== null) return known.isPurgeWaiting ? [] : [notPurged(context)]
  return [
    ...(known.usedBytes > context.maxSizeBytes ? [quotaExceeded(context, known.usedBytes)] : []),
    ...(known.isModelKnown ? collectionFindings(context, known) : [modelUnknown(context)]),
    ...(known.ofWords === undefined ? [] : wordFindings(context, known.ofWords)),
  ]
}

function found(
  { id, name }: ContextRecord,
  code: Finding['code'],
  what: string,
  how: Pick<Finding, 'mend' | 'advice'>,
  subject: ProblemSubject = {},
): Finding {
  return { code, subject: { contextId: id, ...subject }, message: `Context ${id} (${name}) ${what}.`, ...how }
}

function notPurged(context: ContextRecord): Finding {
  const what = 'was deleted, and nothing removes what is left of it on the disk'
  return found(context, 'purge-missing', what, { mend: 'sweep' }, { job: PURGE_CONTEXT })
}

function quotaExceeded(context: ContextRecord, usedBytes: number): Finding {
  const what = `has documents of ${usedBytes} bytes, and may have ${context.maxSizeBytes}`
  const advice = 'Delete documents, or raise settings.maxSizeBytes; nothing can be uploaded into it meanwhile.'
  return found(context, 'quota-exceeded', what, { advice })
}

function modelUnknown(context: ContextRecord): Finding {
  const model = context.embeddingModel
  const advice =
    'Open the engine with that model too (modelDirs, embeddingModels); the context cannot be searched meanwhile.'
  return found(
    context,
    'model-unknown',
    `uses the embedding model ${model}, which this engine does not have`,
    { advice },
    { model },
  )
}

function collectionFindings(context: ContextRecord, { names, vectors, isModelUsable }: ContextKnowledge): Finding[] {
  const own = vectors?.collection.name
  // Where vectors cannot be made anew, those there are had better stay.
  const how: Pick<Finding, 'mend' | 'advice'> = isModelUsable
    ? { mend: 'drop-collection' }
    : { advice: 'Its embedding model cannot be used: mend that first.' }
  const findings: Finding[] = []
  for (const collection of names) {
    if (collection === own) continue
    const what = `has vectors that its model has not made, in the collection ${collection}`
    findings.push(found(context, 'collection-of-other-model', what, how, { collection }))
  }
  if (vectors?.isDamaged === true) {
    const collection = vectors.collection.name
    const what = `has vectors that cannot be read, in the collection ${collection}`
    findings.push(found(context, 'collection-unreadable', what, how, { collection }))
  }
  if (vectors?.isUnknown === true) findings.push(unreadableNow(context, vectors))
  return findings
}

/** Nothing is removed because it cannot be read for a while. */
function unreadableNow(context: ContextRecord, { collection: { name: collection }, failure }: ContextVectors): Finding {
  const reason = failure instanceof AlcoveError ? failure.message : 'the vector index failed'
  const what = `has vectors that cannot be read now, in the collection ${collection}: ${reason}`
  const advice = 'They may be whole: look after the disk, and verify again; nothing was done to them.'
  return found(context, 'collection-unreadable', what, { advice }, { collection })
}

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
