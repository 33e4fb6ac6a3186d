import { ANALYZER_VERSION } from '../analysis/index.js'
import { PURGE_CONTEXT } from '../contexts/index.js'
import { INDEX_WORDS, INGEST_DOCUMENT, PURGE_DOCUMENT } from '../documents/index.js'
import { mapConcurrently } from '../kernel/batches.js'
import { FileMissingError, StorageError } from '../kernel/errors.js'
import { pages } from '../kernel/lists.js'
import type { ContextRecord, DocumentRecord, FileStore, Storage } from '../ports/index.js'
import type { ContextVectors } from './context-findings.js'
import { documentFindings, type Evidence, hasItsChunks } from './document-findings.js'
import type { CheckRun } from './finding.js'
import type { ContextWords } from './word-findings.js'

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

/** Compares documents with their files, chunks, vectors, words and jobs. */
export class DocumentCheck {
  readonly #storage: Storage
  readonly #fileStore: FileStore

  constructor(storage: Storage, fileStore: FileStore) {
    this.#storage = storage
    this.#fileStore = fileStore
  }

  /** @param documents some hundreds, of that context, deleted ones included */
  async run(
    documents: readonly DocumentRecord[],
    surroundings: DocumentSurroundings,
    checkRun: CheckRun,
  ): Promise<void> {
    const { vectors, words, waiting, isModelUsable } = surroundings
    const live = documents.filter(({ deleted }) => deleted === null)
    const chunks = await this.#storage.read((repositories) => repositories.chunks.count(live.map(({ id }) => id)))
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
      if (document.deleted === null) countDocument(checkRun, evidence)
    }
    checkRun.onDocuments(checkRun.checked.documents)
  }

  async #fileOf(key: string, { isThorough, signal }: CheckRun): Promise<Evidence['file']> {
    signal.throwIfAborted()
    try {
      if (isThorough) return await this.#fileStore.digest(key, { signal })
      const sizeBytes = await this.#fileStore.sizeOf(key)
      return sizeBytes === undefined ? undefined : { sizeBytes }
    } catch (error) {
      signal.throwIfAborted()
      // The disk cannot read the file, or something else, such as a folder, has its name.
      if (error instanceof FileMissingError || error instanceof StorageError) return undefined
      throw error
    }
  }
}

function countDocument({ checked }: CheckRun, { file, chunks }: Evidence): void {
  checked.documents += 1
  checked.chunks += chunks.chunks
  checked.windows += chunks.windows
  if (file === undefined) return
  checked.files += 1
  checked.bytes += file.sizeBytes
}

const SUBJECTS_PER_PAGE = 5_000

/** The jobs that wait or run: the ids of their subjects, by kind. */
export interface WaitingJobs {
  readonly [INGEST_DOCUMENT]: ReadonlySet<number>
  readonly [INDEX_WORDS]: ReadonlySet<number>
  readonly [PURGE_DOCUMENT]: ReadonlySet<number>
  readonly [PURGE_CONTEXT]: ReadonlySet<number>
}

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
    [PURGE_DOCUMENT]: await subjects(PURGE_DOCUMENT),
    [PURGE_CONTEXT]: await subjects(PURGE_CONTEXT),
  }
}
