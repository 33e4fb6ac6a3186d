import { PURGE_CONTEXT } from '../../context/index.js'
import { AlcoveError, type ContextRecord } from '../../ports/index.js'
import type { ContextVectors } from './context-vectors.js'
import type { Finding } from './finding.js'
import type { ProblemSubject } from './problem.js'
import { type WordKnowledge, wordFindings } from './word-findings.js'

/** What is known of a context beside its record. */
export interface ContextKnowledge {
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
