import { PURGE_CONTEXT, REINDEX_CONTEXT } from '../contexts/index.js'
import { INDEX_NAME, INDEX_WORDS, INGEST_DOCUMENT, MEND_WORDS, PURGE_DOCUMENT } from '../documents/index.js'
import { pages } from '../kernel/lists.js'
import { listUnclaimedFiles, unclaimedOf } from '../maintenance/index.js'
import type { FileStore, Storage } from '../ports/index.js'
import type { CheckRun, Finding } from './finding.js'

const JOBS_PER_PAGE = 1_000
/** Orphaned chunks should never exist. If they do, this many are enough to show it. */
const MAX_CHUNK_ORPHANS = 1_000

/** Finds orphans: jobs, uploads, files and chunks without an owner. */
export class LeftoverCheck {
  constructor(
    private readonly storage: Storage,
    private readonly fileStore: FileStore,
  ) {}

  async run(checkRun: CheckRun): Promise<void> {
    for (const kind of [
      INGEST_DOCUMENT,
      INDEX_NAME,
      PURGE_DOCUMENT,
      PURGE_CONTEXT,
      INDEX_WORDS,
      MEND_WORDS,
      REINDEX_CONTEXT,
    ]) {
      await this.#checkJobs(kind, checkRun)
    }
    await this.#checkUploads(checkRun)
    // A run that is not thorough follows the sweep, which has just removed these.
    if (!checkRun.isThorough) return
    await this.#checkFiles(checkRun)
    await this.#checkChunks(checkRun)
  }

  async #checkJobs(kind: string, { signal, checked, findings }: CheckRun): Promise<void> {
    const subjectPages = pages(JOBS_PER_PAGE, async (page) => {
      signal.throwIfAborted()
      return await this.storage.read(({ jobs }) => jobs.subjects(kind, page))
    })
    for await (const subjects of subjectPages) {
      checked.jobs += subjects.length
      const existing = await (isOfContext(kind) ? this.#existingContexts(subjects) : this.#existingDocuments(subjects))
      for (const id of subjects) if (!existing.has(id)) findings.push(jobWithoutSubject(kind, id))
    }
  }

  async #existingDocuments(ids: readonly number[]): Promise<ReadonlySet<number>> {
    return await this.storage.read(({ documents }) => documents.existing(ids))
  }

  async #existingContexts(ids: readonly number[]): Promise<ReadonlySet<number>> {
    return await this.storage.read(async ({ contexts }) => {
      const existing = new Set(await contexts.listDeleted())
      for (const id of ids) if (!existing.has(id) && (await contexts.get(id)) !== undefined) existing.add(id)
      return existing
    })
  }

  async #checkUploads({ findings }: CheckRun): Promise<void> {
    const expired = await this.storage.read(({ uploads }) => uploads.countExpired())
    if (expired === 0) return
    const uploads =
      expired === 1 ? 'upload was interrupted, and still has its' : 'uploads were interrupted, and still have their'
    findings.push({
      code: 'upload-left-over',
      subject: {},
      message: `${expired} ${uploads} ${expired === 1 ? 'record' : 'records'}.`,
      repairKind: 'remove-uploads',
    })
  }

  async #checkFiles({ recheck, findings, signal }: CheckRun): Promise<void> {
    if (recheck !== undefined) {
      const keys = recheck.flatMap(({ subject }) => subject.file ?? [])
      for (const file of await unclaimedOf(this.storage, keys)) {
        if ((await this.fileStore.sizeOf(file)) !== undefined) findings.push(fileWithoutDocument(file))
      }
      return
    }
    for await (const file of listUnclaimedFiles(this.storage, this.fileStore, signal)) {
      findings.push(fileWithoutDocument(file))
    }
    signal.throwIfAborted()
  }

  async #checkChunks({ findings }: CheckRun): Promise<void> {
    const owners = await this.storage.read(({ chunks }) => chunks.listOrphans(MAX_CHUNK_ORPHANS))
    for (const documentId of owners) {
      const message = `Chunks of document ${documentId} exist, but the document does not.`
      findings.push({ code: 'chunks-without-document', subject: { documentId }, message, repairKind: 'remove-chunks' })
    }
  }
}

/** True if the subject of jobs of this kind is a context. */
function isOfContext(kind: string): boolean {
  return kind === PURGE_CONTEXT || kind === INDEX_WORDS || kind === MEND_WORDS || kind === REINDEX_CONTEXT
}

function fileWithoutDocument(file: string): Finding {
  const message = `File ${file} belongs to no document.`
  return { code: 'file-without-document', subject: { file }, message, repairKind: 'sweep' }
}

function jobWithoutSubject(job: string, id: number): Finding {
  const [subjectName, subject] = isOfContext(job)
    ? ['context', { contextId: id, job }]
    : ['document', { documentId: id, job }]
  const message = `A job (${job}) exists for ${subjectName} ${id}, which does not exist.`
  return { code: 'job-without-subject', subject, message, repairKind: 'cancel-job' }
}
