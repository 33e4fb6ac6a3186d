import type { JobHandler, JobRun } from '../jobs/index.js'
import { pause } from '../kernel/scheduling/abort.js'
import {
  type DocumentNames,
  type DocumentRecord,
  displayNameOf,
  type NewJob,
  type Repositories,
  type Storage,
} from '../ports/index.js'
import { contextFor } from './collections.js'
import { INDEX_NAME } from './document-jobs.js'
import type { IndexWords, NamedWordsOwner } from './pipeline/index-words.js'
import type { LateWrites } from './pipeline/late-writes.js'
import { storedChunks } from './pipeline/stored-chunks.js'

/** A document with at most this many chunks is found by its new name before its change returns: some milliseconds. */
const SMALL_DOCUMENT_CHUNKS = 64
/** Delay until the next look at a document that is still being processed, in milliseconds. */
const UNPROCESSED_MS = 2_000
/** Longest wait of a change for the words of a small document. */
const LONGEST_WAIT_MS = 10_000
/** Pause after each 10 ms of work, so half of the time stays free for searches and uploads. */
const REST_MS = 10

/**
 * Changes a version in the transaction of the caller. If it gets another name, jobs index its words again, and those of
 * the shadows that a re-index made of it.
 */
export async function changeVersion(
  { documents, shadows, jobs }: Repositories,
  version: DocumentRecord,
  changes: Partial<DocumentNames & Pick<DocumentRecord, 'metadata'>>,
): Promise<void> {
  await documents.update(version.id, changes)
  const { displayName, originalName, nameIndex } = { ...version, ...changes }
  const names = { displayName, originalName, nameIndex }
  if (displayNameOf(names) === displayNameOf(version)) return
  const shadowIds = await shadows.shadowsOf([version.id])
  for (const id of shadowIds) await documents.update(id, names)
  const subjects = [version.id, ...shadowIds]
  await jobs.enqueueAll(subjects.map((subject): NewJob => ({ kind: INDEX_NAME, subject, lane: version.contextId })))
}

/** Indexes the words of a document again after it got another name. Searches find it all the time. */
export class IndexName implements JobHandler {
  readonly kind: string = INDEX_NAME

  constructor(
    private readonly storage: Storage,
    private readonly words: IndexWords,
    private readonly lateWrites: LateWrites,
  ) {}

  async run(job: JobRun): Promise<void> {
    const document = await this.storage.read(({ documents }) => documents.get(job.subject))
    // Its processing takes the name that it has at its beginning, and may be half done.
    if (document?.completed === null && document.error === null) {
      await job.postpone(async () => undefined, UNPROCESSED_MS, { isFailure: false })
      return
    }
    const name = document && (await this.#write(document, job.signal, REST_MS))
    await job.complete(async ({ documents, jobs }) => {
      const current = await documents.get(job.subject)
      if (current === undefined) return
      // A retry makes the words of a failed document again.
      if (current.completed === null) await documents.update(current.id, { wordsVersion: null })
      if (displayNameOf(current) !== name)
        await jobs.enqueue({ kind: INDEX_NAME, subject: current.id, lane: current.contextId })
    })
  }

  /** Indexes the words of a small document now. A failure, or an index that takes long, is harmless: the job does it. */
  async indexIfSmall(documentId: number): Promise<void> {
    const late = new AbortController()
    await pause(LONGEST_WAIT_MS, this.#tryIfSmall(documentId, late.signal))
    late.abort()
  }

  async #tryIfSmall(documentId: number, signal: AbortSignal): Promise<void> {
    try {
      const document = await this.storage.read(({ documents }) => documents.get(documentId))
      if (document === undefined || document.completed === null || document.chunkCount > SMALL_DOCUMENT_CHUNKS) return
      await this.#write(document, signal, 0)
    } catch {
      return
    }
  }

  /** The next start, or another change of the name, tries again. */
  async fail(): Promise<void> {
    await Promise.resolve()
  }

  /** @returns the name whose words the index has now */
  async #write(document: DocumentRecord, signal: AbortSignal, restMs: number): Promise<string> {
    const name = displayNameOf(document)
    const context = await this.storage.read(({ contexts }) => contexts.get(document.contextId))
    const own = context && contextFor(context, document)
    if (own === undefined || document.completed === null) return name
    const owner: NamedWordsOwner = { id: document.id, context: own, name }
    try {
      await this.words.write(owner, storedChunks(this.storage, document.id), {
        beforeWrite: async () => signal.throwIfAborted(),
        restMs,
      })
    } finally {
      await this.lateWrites.removeIfDeleted(owner)
    }
    return name
  }
}
