import { ANALYZER_VERSION } from '../analysis/index.js'
import { PURGE_CONTEXT, REINDEX_CONTEXT } from '../contexts/index.js'
import { INDEX_WORDS, INGEST_DOCUMENT, MEND_WORDS, PURGE_DOCUMENT } from '../documents/index.js'
import { mapConcurrently } from '../kernel/batches.js'
import { FileMissingError, StorageError } from '../kernel/errors.js'
import { pages } from '../kernel/lists.js'
import type { ChunkCounts, ContextRecord, DocumentRecord, FileStore, Storage } from '../ports/index.js'
import type { ContextVectors, VectorProblem } from './context-findings.js'
import type { ContextWords } from './context-words.js'
import { type CheckRun, type Finding, type ProblemCode, type RepairKind, withoutRepair } from './finding.js'

/** Files that are read at the same time: for small files the wait is longer than the read. */
const FILES_AT_ONCE = 8

/** Facts about the context of some documents. */
export interface DocumentSurroundings {
  readonly context: ContextRecord
  /** Undefined if the engine does not have its model. */
  readonly vectors: ContextVectors | undefined
  /** Undefined if the context is deleted. */
  readonly words: ContextWords | undefined
  readonly isModelUsable: boolean
  readonly waiting: WaitingJobs
}

/** The jobs that wait or run: the ids of their subjects, by kind. */
export interface WaitingJobs {
  readonly [INGEST_DOCUMENT]: ReadonlySet<number>
  readonly [INDEX_WORDS]: ReadonlySet<number>
  readonly [MEND_WORDS]: ReadonlySet<number>
  readonly [PURGE_DOCUMENT]: ReadonlySet<number>
  readonly [PURGE_CONTEXT]: ReadonlySet<number>
  readonly [REINDEX_CONTEXT]: ReadonlySet<number>
}

/** Compares documents with their files, chunks, vectors, words and jobs. */
export class DocumentCheck {
  constructor(
    private readonly storage: Storage,
    private readonly fileStore: FileStore,
  ) {}

  /** @param documents some hundreds of versions, of that context, deleted ones included */
  async run(
    documents: readonly DocumentRecord[],
    surroundings: DocumentSurroundings,
    checkRun: CheckRun,
  ): Promise<void> {
    const { vectors, words, waiting, isModelUsable } = surroundings
    const live = documents.filter(({ deleted }) => deleted === null)
    const chunks = await this.storage.read((repositories) => repositories.chunks.count(live.map(({ id }) => id)))
    const files = await mapConcurrently(live, FILES_AT_ONCE, async ({ uuid }) => await this.#fileOf(uuid, checkRun))
    const fileOf = new Map(live.map(({ id }, index) => [id, files[index]]))
    const chunksOf = (id: number) => chunks.get(id) ?? { chunks: 0, windows: 0, isWhole: true }
    const vectorsOf = (id: number) =>
      vectors === undefined || vectors.isUnknown ? undefined : (vectors.counts.get(id) ?? 0)
    const wordsOf = (id: number) => (words === undefined || words.isUnknown ? undefined : (words.counts.get(id) ?? 0))
    const whole = live.filter(
      (document) => document.completed !== null && hasItsChunks(document, chunksOf(document.id)),
    )
    const vectorProblems = checkRun.isThorough
      ? await vectors?.sample(
          whole.filter(({ id }) => vectorsOf(id) === chunksOf(id).windows),
          checkRun.signal,
        )
      : undefined
    const wordProblems = checkRun.isThorough
      ? await words?.sample(
          whole.filter(
            ({ id, wordsVersion }) => wordsVersion === ANALYZER_VERSION && wordsOf(id) === chunksOf(id).chunks,
          ),
          checkRun.signal,
        )
      : undefined
    for (const document of documents) {
      const { id } = document
      const evidence: Evidence = {
        file: fileOf.get(id),
        chunks: chunksOf(id),
        vectors: vectorsOf(id),
        vectorProblem: vectorProblems?.get(id),
        words: wordsOf(id),
        wordProblem: wordProblems?.get(id),
        isIngestWaiting: waiting[INGEST_DOCUMENT].has(id),
        isPurgeWaiting: waiting[PURGE_DOCUMENT].has(id),
        isModelUsable,
      }
      checkRun.findings.push(...documentFindings(document, evidence))
      if (document.deleted === null) countDocument(checkRun, document, evidence)
    }
    checkRun.onDocuments(checkRun.checked.documents)
  }

  async #fileOf(key: string, { isThorough, signal }: CheckRun): Promise<Evidence['file']> {
    signal.throwIfAborted()
    try {
      if (isThorough) return await this.fileStore.digest(key, { signal })
      const sizeBytes = await this.fileStore.sizeOf(key)
      return sizeBytes === undefined ? undefined : { sizeBytes }
    } catch (error) {
      signal.throwIfAborted()
      // The disk cannot read the file, or something else, such as a folder, has its name.
      if (error instanceof FileMissingError || error instanceof StorageError) return undefined
      throw error
    }
  }
}

/** Facts about a document that its record does not have. */
interface Evidence {
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

/** True if the number of stored chunks and windows is the number in the document's record and receipt. */
function hasItsChunks({ chunkCount, receipt }: DocumentRecord, chunks: ChunkCounts): boolean {
  if (!chunks.isWhole || chunks.chunks !== chunkCount || receipt === null) return false
  return receipt.chunks === chunks.chunks && receipt.windows === chunks.windows
}

const RESTORE_ADVICE =
  'The engine cannot restore its bytes: delete the document and upload the file a second time, or restore a backup. Until then its searchable text stays searchable.'
const FILE_ADVICE =
  'Its file is missing or was changed: delete the document and upload the file a second time, or restore a backup; then run the doctor again.'
const MODEL_ADVICE = 'Its embedding model cannot be used: repair the model first.'

/** The problems of a document. */
function documentFindings(document: DocumentRecord, evidence: Evidence): Finding[] {
  if (document.deleted !== null) return evidence.isPurgeWaiting ? [] : [notPurged(document)]
  const ofFile = fileFindings(document, evidence)
  const isFileLost = ofFile.some(({ repairKind }) => repairKind === undefined)
  const ofState = stateFindings(document, evidence).map((finding) => {
    if (finding.repairKind !== 'process' || (!isFileLost && evidence.isModelUsable)) return finding
    return withoutRepair(finding, isFileLost ? FILE_ADVICE : MODEL_ADVICE)
  })
  return [...ofFile, ...ofState]
}

function notPurged({ id, publicId, uuid, contextId }: DocumentRecord): Finding {
  return {
    code: 'purge-missing',
    subject: { contextId, documentId: publicId, documentUuid: uuid, job: PURGE_DOCUMENT },
    versionId: id,
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
    const problem = `has ${chunks.chunks} ${chunks.chunks === 1 ? 'chunk' : 'chunks'}, but the word index has ${words}`
    return [findingOf(document, code, problem, 'index-words')]
  }
  if (wordProblem === undefined) return []
  return [findingOf(document, 'words-missing', `is not found by the words of its chunk ${wordProblem}`, 'index-words')]
}

/** @param repairKind undefined if only a new upload or a backup can restore the document */
function findingOf(document: DocumentRecord, code: ProblemCode, problem: string, repairKind?: RepairKind): Finding {
  const { id: versionId, publicId, replaces, uuid, contextId, originalName } = document
  const subject = { contextId, documentId: publicId, documentUuid: uuid }
  const noun = replaces === null ? 'Document' : 'Replacement'
  return {
    code,
    subject,
    versionId,
    message: `${noun} ${uuid} (${originalName}) ${problem}.`,
    remoteMessage: `${noun} ${uuid} ${problem}.`,
    ...(repairKind === undefined ? { advice: RESTORE_ADVICE } : { repairKind }),
  }
}

/** A replacement is no document of its own, but it has a file, and perhaps chunks. */
function countDocument({ checked }: CheckRun, { replaces }: DocumentRecord, { file, chunks }: Evidence): void {
  if (replaces === null) checked.documents += 1
  checked.chunks += chunks.chunks
  checked.windows += chunks.windows
  if (file === undefined) return
  checked.files += 1
  checked.bytes += file.sizeBytes
}

const SUBJECTS_PER_PAGE = 5_000

export async function waitingJobs(storage: Storage): Promise<WaitingJobs> {
  const subjects = async (kind: string): Promise<Set<number>> => {
    const all = new Set<number>()
    const subjectPages = pages(SUBJECTS_PER_PAGE, async (page) => {
      return await storage.read(({ jobs }) => jobs.subjects(kind, page))
    })
    for await (const page of subjectPages) for (const subject of page) all.add(subject)
    return all
  }
  return {
    [INGEST_DOCUMENT]: await subjects(INGEST_DOCUMENT),
    [INDEX_WORDS]: await subjects(INDEX_WORDS),
    [MEND_WORDS]: await subjects(MEND_WORDS),
    [PURGE_DOCUMENT]: await subjects(PURGE_DOCUMENT),
    [PURGE_CONTEXT]: await subjects(PURGE_CONTEXT),
    [REINDEX_CONTEXT]: await subjects(REINDEX_CONTEXT),
  }
}
