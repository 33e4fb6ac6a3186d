import { PURGE_CONTEXT } from '../contexts/index.js'
import { INDEX_WORDS, INGEST_DOCUMENT, PURGE_DOCUMENT } from '../documents/index.js'
import { pages } from '../kernel/lists.js'
import { unclaimed, unclaimedFiles } from '../maintenance/index.js'
import { AlcoveError, type FileStore, type Storage, StorageError, VectorsDamagedError } from '../ports/index.js'
import type { Finding, Look } from './finding.js'

const JOBS_PER_PAGE = 1_000
/** Chunks without a document should not be there at all: where they are, these show it. */
const MOST_CHUNK_ORPHANS = 1_000

/** Finds what belongs to nothing: jobs, uploads, files and chunks. */
export class LeftoverCheck {
  readonly #storage: Storage
  readonly #fileStore: FileStore

  constructor(storage: Storage, fileStore: FileStore) {
    this.#storage = storage
    this.#fileStore = fileStore
  }

  async run(look: Look): Promise<void> {
    for (const kind of [INGEST_DOCUMENT, PURGE_DOCUMENT, PURGE_CONTEXT, INDEX_WORDS]) await this.#jobs(kind, look)
    await this.#uploads(look)
    // The sweep has just been there when it is not thorough.
    if (!look.isThorough) return
    await this.#files(look)
    await this.#chunks(look)
  }

  async #jobs(kind: string, look: Look): Promise<void> {
    const listed = pages(JOBS_PER_PAGE, async (page) => {
      look.signal.throwIfAborted()
      return await this.#storage.read(({ jobs }) => jobs.subjects(kind, page))
    })
    for await (const subjects of listed) {
      look.checked.jobs += subjects.length
      const existing = await (isOfContext(kind) ? this.#contexts(subjects) : this.#documents(subjects))
      for (const id of subjects) if (!existing.has(id)) look.found.push(withoutSubject(kind, id))
    }
  }

  async #documents(ids: readonly number[]): Promise<ReadonlySet<number>> {
    return await this.#storage.read(({ documents }) => documents.existing(ids))
  }

  async #contexts(ids: readonly number[]): Promise<ReadonlySet<number>> {
    return await this.#storage.read(async ({ contexts }) => {
      const existing = new Set(await contexts.listDeleted())
      for (const id of ids) if (!existing.has(id) && (await contexts.get(id)) !== undefined) existing.add(id)
      return existing
    })
  }

  async #uploads(look: Look): Promise<void> {
    const expired = await this.#storage.read(({ uploads }) => uploads.countExpired())
    if (expired === 0) return
    look.found.push({
      code: 'upload-left-over',
      subject: {},
      message: `${expired} ${expired === 1 ? 'upload' : 'uploads'} ended without an end, and still ${expired === 1 ? 'has its record' : 'have their records'}.`,
      mend: 'remove-uploads',
    })
  }

  async #files(look: Look): Promise<void> {
    if (look.only !== undefined) {
      const keys = look.only.flatMap(({ subject }) => subject.file ?? [])
      for (const file of await unclaimed(this.#storage, keys)) {
        if ((await this.#fileStore.sizeOf(file)) !== undefined) look.found.push(withoutOwner(file))
      }
      return
    }
    for await (const file of unclaimedFiles(this.#storage, this.#fileStore, look.signal))
      look.found.push(withoutOwner(file))
    look.signal.throwIfAborted()
  }

  async #chunks(look: Look): Promise<void> {
    const owners = await this.#storage.read(({ chunks }) => chunks.listOrphans(MOST_CHUNK_ORPHANS))
    for (const documentId of owners) {
      const message = `There are chunks of a document ${documentId}, which is not there.`
      look.found.push({ code: 'chunks-without-document', subject: { documentId }, message, mend: 'remove-chunks' })
    }
  }
}

/** Whether the subject of such a job is a context. */
function isOfContext(kind: string): boolean {
  return kind === PURGE_CONTEXT || kind === INDEX_WORDS
}

function withoutOwner(file: string): Finding {
  const message = `File ${file} belongs to no document.`
  return { code: 'file-without-document', subject: { file }, message, mend: 'sweep' }
}

function withoutSubject(job: string, id: number): Finding {
  const [thing, subject] = isOfContext(job)
    ? ['context', { contextId: id, job }]
    : ['document', { documentId: id, job }]
  const message = `There is a job (${job}) for a ${thing} ${id} that is not there.`
  return { code: 'job-without-subject', subject, message, mend: 'cancel-job' }
}

/** Reads of one collection. Once one has failed, nothing more is read of it. */
export abstract class CollectionReading {
  /** Why it cannot be read. */
  failure: unknown

  /** Whether nothing is known of it: it cannot be read now, and is not known to be damaged either. */
  get isUnknown(): boolean {
    return this.failure !== undefined && !this.isDamaged
  }

  get isDamaged(): boolean {
    return this.failure instanceof VectorsDamagedError
  }

  /** What fails is told of: damage, a disk that cannot be read, and what nobody has foreseen. Refusals are thrown. */
  protected async reading<T>(read: () => Promise<T>): Promise<T | undefined> {
    if (this.failure !== undefined) return undefined
    try {
      return await read()
    } catch (error) {
      const isKnown = error instanceof StorageError || error instanceof VectorsDamagedError
      if (error instanceof AlcoveError && !isKnown) throw error
      this.failure = error
      return undefined
    }
  }
}
