import { ANALYZER_VERSION } from '../analysis/index.js'
import { INGEST_DOCUMENT, PURGE_DOCUMENT } from '../documents/index.js'
import type { ChunkCounts, DocumentRecord } from '../ports/index.js'
import type { VectorProblem } from './context-findings.js'
import type { Finding, Mend, ProblemCode } from './finding.js'

/** What is known of a document beside its record. */
export interface Evidence {
  /** Its file; a size alone where it was not read, undefined where there is none. */
  readonly file: { readonly sizeBytes: number; readonly sha256?: string } | undefined
  readonly chunks: ChunkCounts
  /** Vectors in the index; undefined where that cannot be known. */
  readonly vectors: number | undefined
  /** What is wrong with some of them. */
  readonly vectorProblem: VectorProblem | undefined
  /** Chunks in the word index; undefined where that cannot be known. */
  readonly words: number | undefined
  /** The ordinal of a chunk that its own words do not find. */
  readonly wordProblem: number | undefined
  readonly isIngestWaiting: boolean
  readonly isPurgeWaiting: boolean
  /** Whether the model can make its vectors anew. */
  readonly isModelUsable: boolean
}

const RESTORE =
  'Its bytes cannot be made again: delete it and upload the file again, or restore a backup; what is searchable of it stays so.'
const NO_FILE =
  'Its file is not there as it was received: delete it and upload the file again, or restore a backup; then verify again.'
const NO_MODEL = 'Its embedding model cannot be used: mend that first.'

/** What is wrong with a document. */
export function documentFindings(document: DocumentRecord, evidence: Evidence): Finding[] {
  if (document.deleted !== null) return evidence.isPurgeWaiting ? [] : [notPurged(document)]
  const ofFile = fileFindings(document, evidence)
  const isFileLost = ofFile.some(({ mend }) => mend === undefined)
  const ofState = stateFindings(document, evidence).map((finding) => {
    if (finding.mend !== 'process' || (!isFileLost && evidence.isModelUsable)) return finding
    const { mend: _, ...told } = finding
    return { ...told, advice: isFileLost ? NO_FILE : NO_MODEL }
  })
  return [...ofFile, ...ofState]
}

/** Whether the chunks of a document are those that its record tells of. */
export function hasItsChunks({ chunkCount, receipt }: DocumentRecord, chunks: ChunkCounts): boolean {
  if (!chunks.isWhole || chunks.chunks !== chunkCount || receipt === null) return false
  return receipt.chunks === chunks.chunks && receipt.windows === chunks.windows
}

function found(document: DocumentRecord, code: ProblemCode, what: string, mend?: Mend): Finding {
  const { id, uuid, contextId, originalName } = document
  const subject = { contextId, documentId: id, documentUuid: uuid }
  const message = `Document ${uuid} (${originalName}) ${what}.`
  return { code, subject, message, ...(mend === undefined ? { advice: RESTORE } : { mend }) }
}

function notPurged({ id, uuid, contextId }: DocumentRecord): Finding {
  return {
    code: 'purge-missing',
    subject: { contextId, documentId: id, documentUuid: uuid, job: PURGE_DOCUMENT },
    message: `Document ${uuid} was deleted, and nothing removes what is left of it on the disk.`,
    mend: 'sweep',
  }
}

function fileFindings(document: DocumentRecord, { file }: Evidence): Finding[] {
  const { sizeBytes, contentHash } = document
  if (file === undefined) return [found(document, 'file-missing', 'has no file that can be read in the file store')]
  if (file.sha256 !== undefined && file.sha256 !== contentHash) {
    return [found(document, 'file-changed', 'has a file with other bytes than those that were received')]
  }
  if (file.sizeBytes === sizeBytes) return []
  const what = `has a file of ${file.sizeBytes} bytes, and a record that says ${sizeBytes}`
  if (file.sha256 === undefined) return [found(document, 'file-changed', what)]
  return [found(document, 'size-wrong', what, 'correct-size')]
}

function stateFindings(document: DocumentRecord, evidence: Evidence): Finding[] {
  const { completed, error } = document
  if (completed === null && error === null) {
    if (evidence.isIngestWaiting) return []
    return [found(document, 'job-missing', 'is not processed yet, and nothing is going to process it', 'sweep')]
  }
  const surplus = evidence.isIngestWaiting ? [surplusJob(document)] : []
  if (completed === null) return surplus
  if (error !== null) return [...surplus, found(document, 'state-invalid', 'is completed and has failed', 'process')]
  return [...surplus, ...contentFindings(document, evidence)]
}

function surplusJob(document: DocumentRecord): Finding {
  const state = document.completed === null ? 'has failed' : 'is completed'
  const finding = found(document, 'job-surplus', `${state}, and has a job all the same`, 'cancel-job')
  return { ...finding, subject: { ...finding.subject, job: INGEST_DOCUMENT } }
}

/** Of a completed document. Where its chunks are wrong, so are its vectors and words: that is told once. */
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
  const what = `has ${chunks.chunks} chunks with ${chunks.windows} windows${gaps}; ${expected}`
  return [found(document, 'chunks-wrong', what, 'process')]
}

function vectorFindings(document: DocumentRecord, { chunks, vectors, vectorProblem }: Evidence): Finding[] {
  if (vectors !== undefined && vectors !== chunks.windows) {
    const code = vectors < chunks.windows ? 'vectors-missing' : 'vectors-surplus'
    return [found(document, code, `has ${vectors} vectors for ${chunks.windows} windows`, 'process')]
  }
  if (vectorProblem === undefined) return []
  const { code, chunk } = vectorProblem
  const what =
    code === 'vectors-missing'
      ? `lacks the vector of chunk ${chunk}`
      : `has a vector of chunk ${chunk} that its model cannot have made`
  return [found(document, code, what, 'process')]
}

/** Documents whose words are not indexed, or by another version of the analyzer, are told of together. */
function wordFindings(document: DocumentRecord, { chunks, words, wordProblem }: Evidence): Finding[] {
  if (document.wordsVersion !== ANALYZER_VERSION || words === undefined) return []
  if (words !== chunks.chunks) {
    const code = words < chunks.chunks ? 'words-missing' : 'words-surplus'
    const what = `has the words of ${words} chunks in the word index, and ${chunks.chunks} chunks`
    return [found(document, code, what, 'index-words')]
  }
  if (wordProblem === undefined) return []
  return [found(document, 'words-missing', `is not found by the words of its chunk ${wordProblem}`, 'index-words')]
}
