import { ANALYZER_VERSION } from '../analysis/index.js'
import { INGEST_DOCUMENT, PURGE_DOCUMENT } from '../documents/index.js'
import type { ChunkCounts, DocumentRecord } from '../ports/index.js'
import type { VectorProblem } from './context-findings.js'
import { type Finding, type ProblemCode, type RepairKind, withoutRepair } from './finding.js'

/** Facts about a document that its record does not have. */
export interface Evidence {
  /** Its file; undefined if it is missing or unreadable. Without `sha256` if only the size was read. */
  readonly file: { readonly sizeBytes: number; readonly sha256?: string } | undefined
  readonly chunks: ChunkCounts
  /** Number of its vectors in the index; undefined if unknown. */
  readonly vectors: number | undefined
  /** The first problem among the vectors that were read. */
  readonly vectorProblem: VectorProblem | undefined
  /** Number of its chunks in the word index; undefined if unknown. */
  readonly words: number | undefined
  /** The ordinal of a chunk that a search for its own words does not find. */
  readonly wordProblem: number | undefined
  readonly isIngestWaiting: boolean
  readonly isPurgeWaiting: boolean
  /** True if the model can compute its vectors a second time. */
  readonly isModelUsable: boolean
}

const RESTORE_ADVICE =
  'The engine cannot restore its bytes: delete the document and upload the file a second time, or restore a backup. Until then its searchable text stays searchable.'
const FILE_ADVICE =
  'Its file is missing or was changed: delete the document and upload the file a second time, or restore a backup; then verify a second time.'
const MODEL_ADVICE = 'Its embedding model cannot be used: repair the model first.'

/** The problems of a document. */
export function documentFindings(document: DocumentRecord, evidence: Evidence): Finding[] {
  if (document.deleted !== null) return evidence.isPurgeWaiting ? [] : [notPurged(document)]
  const ofFile = fileFindings(document, evidence)
  const isFileLost = ofFile.some(({ repairKind }) => repairKind === undefined)
  const ofState = stateFindings(document, evidence).map((finding) => {
    if (finding.repairKind !== 'process' || (!isFileLost && evidence.isModelUsable)) return finding
    return withoutRepair(finding, isFileLost ? FILE_ADVICE : MODEL_ADVICE)
  })
  return [...ofFile, ...ofState]
}

/** True if the number of stored chunks and windows is the number in the document's record and receipt. */
export function hasItsChunks({ chunkCount, receipt }: DocumentRecord, chunks: ChunkCounts): boolean {
  if (!chunks.isWhole || chunks.chunks !== chunkCount || receipt === null) return false
  return receipt.chunks === chunks.chunks && receipt.windows === chunks.windows
}

/** @param repairKind undefined if only a new upload or a backup can restore the document */
function findingOf(document: DocumentRecord, code: ProblemCode, problem: string, repairKind?: RepairKind): Finding {
  const { id, uuid, contextId, originalName } = document
  const subject = { contextId, documentId: id, documentUuid: uuid }
  const message = `Document ${uuid} (${originalName}) ${problem}.`
  return { code, subject, message, ...(repairKind === undefined ? { advice: RESTORE_ADVICE } : { repairKind }) }
}

function notPurged({ id, uuid, contextId }: DocumentRecord): Finding {
  return {
    code: 'purge-missing',
    subject: { contextId, documentId: id, documentUuid: uuid, job: PURGE_DOCUMENT },
    message: `Document ${uuid} is deleted, but some of its data is still on the disk, and no job removes it.`,
    repairKind: 'sweep',
  }
}

function fileFindings(document: DocumentRecord, { file }: Evidence): Finding[] {
  const { sizeBytes, contentHash } = document
  if (file === undefined) return [findingOf(document, 'file-missing', 'has no readable file in the file store')]
  if (file.sha256 !== undefined && file.sha256 !== contentHash) {
    return [findingOf(document, 'file-changed', 'has a file whose bytes differ from the received bytes')]
  }
  if (file.sizeBytes === sizeBytes) return []
  const problem = `has a file of ${file.sizeBytes} bytes, but its record says ${sizeBytes}`
  if (file.sha256 === undefined) return [findingOf(document, 'file-changed', problem)]
  return [findingOf(document, 'size-wrong', problem, 'correct-size')]
}

function stateFindings(document: DocumentRecord, evidence: Evidence): Finding[] {
  const { completed, error } = document
  if (completed === null && error === null) {
    if (evidence.isIngestWaiting) return []
    return [findingOf(document, 'job-missing', 'is not processed yet, and no job processes it', 'sweep')]
  }
  const surplus = evidence.isIngestWaiting ? [surplusJob(document)] : []
  if (completed === null) return surplus
  if (error !== null)
    return [...surplus, findingOf(document, 'state-invalid', 'is completed and has failed', 'process')]
  return [...surplus, ...contentFindings(document, evidence)]
}

function surplusJob(document: DocumentRecord): Finding {
  const state = document.completed === null ? 'has failed' : 'is completed'
  const finding = findingOf(document, 'job-surplus', `${state}, but still has a job`, 'cancel-job')
  return { ...finding, subject: { ...finding.subject, job: INGEST_DOCUMENT } }
}

/** The problems of a completed document. Wrong chunks imply wrong vectors and words: one finding is enough. */
function contentFindings(document: DocumentRecord, evidence: Evidence): Finding[] {
  const { chunks } = evidence
  if (hasItsChunks(document, chunks))
    return [...vectorFindings(document, evidence), ...wordFindings(document, evidence)]
  const { receipt, chunkCount } = document
  const gaps = chunks.isWhole ? '' : ' and gaps between them'
  const expected =
    receipt === null
      ? `its record says ${chunkCount} chunks and has no receipt`
      : `its record says ${chunkCount} chunks, its receipt ${receipt.chunks} with ${receipt.windows} windows`
  const problem = `has ${chunks.chunks} chunks with ${chunks.windows} windows${gaps}; ${expected}`
  return [findingOf(document, 'chunks-wrong', problem, 'process')]
}

function vectorFindings(document: DocumentRecord, { chunks, vectors, vectorProblem }: Evidence): Finding[] {
  if (vectors !== undefined && vectors !== chunks.windows) {
    const code = vectors < chunks.windows ? 'vectors-missing' : 'vectors-surplus'
    return [findingOf(document, code, `has ${vectors} vectors for ${chunks.windows} windows`, 'process')]
  }
  if (vectorProblem === undefined) return []
  const { code, chunk } = vectorProblem
  const problem =
    code === 'vectors-missing'
      ? `does not have the vector of chunk ${chunk}`
      : `has a vector of chunk ${chunk} that its model cannot have made`
  return [findingOf(document, code, problem, 'process')]
}

/** Documents without words of this version of the analyzer are no problem here: their context has one finding for all. */
function wordFindings(document: DocumentRecord, { chunks, words, wordProblem }: Evidence): Finding[] {
  if (document.wordsVersion !== ANALYZER_VERSION || words === undefined) return []
  if (words !== chunks.chunks) {
    const code = words < chunks.chunks ? 'words-missing' : 'words-surplus'
    const problem = `has the words of ${words} chunks in the word index, but ${chunks.chunks} chunks`
    return [findingOf(document, code, problem, 'index-words')]
  }
  if (wordProblem === undefined) return []
  return [findingOf(document, 'words-missing', `is not found by the words of its chunk ${wordProblem}`, 'index-words')]
}
