import { PURGE_ACCOUNT, PURGE_CONTEXT, REINDEX_CONTEXT, removeContext } from '../contexts/index.js'
import {
  CHUNKS_PER_REMOVAL,
  type CollectionIndex,
  collectionsOf,
  INDEX_WORDS,
  INGEST_DOCUMENT,
  MEND_WORDS,
  PURGE_DOCUMENT,
  removeChunks,
  shadowLaneOf,
} from '../documents/index.js'
import { type JobHandler, type JobRun, whenNoBackup } from '../jobs/index.js'
import { inBatches } from '../kernel/batches.js'
import { DELIVER_EVENT } from '../outbox/index.js'
import type { Clock, DocumentRecord, FileStore, Repositories } from '../ports/index.js'
import { PURGE_COMPANY } from '../tenancy/index.js'
import { DeletedCollections } from './deleted-collections.js'

/**
 * Removes the data of a deleted version of a document: its file, if no shadow has it too, chunks, vectors, words, and at
 * last its row. The file comes first: its removal needs no free space, so on a full disk it makes room for the rest.
 */
export class PurgeDocument implements JobHandler {
  readonly kind: string = PURGE_DOCUMENT

  /** @param indexes the vector index and the word index */
  constructor(
    private readonly indexes: readonly CollectionIndex[],
    private readonly fileStore: FileStore,
  ) {}

  async run(run: JobRun): Promise<void> {
    const found = await whenNoBackup(run, async ({ documents }) => {
      const [document] = await documents.find([run.subject])
      if (document === undefined || document.deleted === null) return undefined
      return { document, inUse: await documents.filesInUse([document.uuid]) }
    })
    if (found !== undefined) {
      const { id, uuid, contextId } = found.document
      if (!found.inUse.has(uuid)) await this.fileStore.delete(uuid)
      await removeChunks(run, id)
      for (const index of this.indexes) {
        for (const name of await collectionsOf(index, contextId)) await index.deleteDocument(name, id, 0)
      }
    }
    await run.complete(async ({ documents }) => {
      if (found !== undefined) await documents.remove([found.document.id])
    })
  }

  /** Nothing to record: the sweep at the next start retries. */
  async fail(): Promise<void> {
    await Promise.resolve()
  }
}

/**
 * Removes the data of a deleted context. The files of its documents, and its vectors and words as a whole, come first:
 * their removal needs no free space. Then come the rows of its documents, and its own row.
 */
export class PurgeContext implements JobHandler {
  readonly kind: string = PURGE_CONTEXT

  constructor(
    private readonly collections: DeletedCollections,
    private readonly fileStore: FileStore,
    private readonly clock: Clock,
  ) {}

  async run(run: JobRun): Promise<void> {
    const deletedDocuments = await whenNoBackup(
      run,
      async (repositories) => await this.#deleteDocuments(repositories, run.subject),
    )
    if (deletedDocuments !== undefined) {
      for (const part of inBatches(deletedDocuments, FILES_AT_ONCE)) {
        run.signal.throwIfAborted()
        await Promise.all(part.map(async ({ uuid }) => await this.fileStore.delete(uuid)))
      }
      const collections = await this.collections.of(run.subject)
      const dropCollections = async (): Promise<void> => {
        for (const { index, name } of collections) await index.drop(name)
      }
      await dropCollections()
      await removeDocuments(
        run,
        deletedDocuments.map(({ id }) => id),
      )
      // A second time: cancelled jobs may have written since the first. They remove what they write later.
      await dropCollections()
    }
    await run.complete(async ({ contexts }) => {
      if (deletedDocuments !== undefined) await contexts.remove(run.subject)
    })
  }

  /** Cancels the work on a deleted context. @returns its documents; undefined if the context is not deleted */
  async #deleteDocuments(
    { contexts, documents, jobs }: Repositories,
    contextId: number,
  ): Promise<readonly Pick<DocumentRecord, 'id' | 'uuid'>[] | undefined> {
    if (!(await contexts.isDeleted(contextId))) return undefined
    await jobs.cancelLane(INGEST_DOCUMENT, contextId)
    await jobs.cancelLane(INGEST_DOCUMENT, shadowLaneOf(contextId))
    await jobs.cancelAll([REINDEX_CONTEXT, INDEX_WORDS, MEND_WORDS].map((kind) => ({ kind, subject: contextId })))
    // The deletion of a user's contexts leaves their documents undeleted.
    await documents.deleteOfContext(contextId, this.clock.now().toISOString())
    return await documents.listDeleted(contextId)
  }

  /** Nothing to record: the sweep at the next start retries. */
  async fail(): Promise<void> {
    await Promise.resolve()
  }
}

/** Files that are deleted at a time: most of the time of a deletion is a wait for the disk. */
const FILES_AT_ONCE = 8
/** Few, so that other writers wait some milliseconds for the database. */
const DOCUMENTS_PER_STEP = 50

/**
 * Removes the rows of deleted documents with their chunks. Many small documents share a transaction: each transaction
 * waits for the disk.
 */
async function removeDocuments(run: JobRun, ids: readonly number[]): Promise<void> {
  const ascending = [...ids].sort((one, other) => one - other)
  for (let at = 0; at < ascending.length; ) {
    run.signal.throwIfAborted()
    const step = ascending.slice(at, at + DOCUMENTS_PER_STEP)
    at += await run.transaction(async (repositories) => await removeWhole(repositories, step), { isProgress: true })
  }
}

/** Removes the first of these documents until enough chunks are removed. @returns the number of documents removed */
async function removeWhole({ chunks, documents, jobs }: Repositories, ids: readonly number[]): Promise<number> {
  const removed = await chunks.removeOf(ids, CHUNKS_PER_REMOVAL)
  await jobs.cancelAll(removed.map((subject) => ({ kind: PURGE_DOCUMENT, subject })))
  await documents.remove(removed)
  return removed.length
}

const RETRY_MS = 60_000

/** Deletes the contexts of a deleted account. No user can reach them. */
export class PurgeAccount implements JobHandler {
  readonly kind: string = PURGE_ACCOUNT

  constructor(private readonly clock: Clock) {}

  async run(run: JobRun): Promise<void> {
    const accountId = run.subject
    const account = await whenNoBackup(run, async ({ accounts }) => await accounts.get(accountId))
    if (account === undefined) await removeAccountContexts(run, accountId, this.clock)
    await run.complete(async () => undefined)
  }

  /** The purge retries until it succeeds: the data of a deleted account must not stay. */
  async fail({ jobs }: Repositories, subject: number): Promise<void> {
    await jobs.enqueue({ kind: PURGE_ACCOUNT, subject }, { delayMs: RETRY_MS })
  }
}

/** Deletes the contexts of an account, one in each step: a context may have thousands of documents. */
async function removeAccountContexts(run: JobRun, accountId: number, clock: Clock): Promise<void> {
  await inSteps(run, async (repositories) => {
    const { contexts } = repositories
    const [id] = await contexts.listIds({ accountId }, { after: 0, limit: 1 })
    if (id === undefined) return 'done'
    // An upload that is being completed holds this lock; afterwards it is a document, and is deleted with the context.
    await contexts.lock(id)
    await removeContext(repositories, id, clock.now().toISOString())
    return 'more'
  })
}

/** Few, so that other writers do not wait long for the database. */
const ROWS_PER_STEP = 200

/**
 * Removes the data of a deleted company, in steps, each in a transaction of its own. Its contexts come first; their
 * files, vectors and words have jobs of their own. Then come deliveries, events and destinations.
 */
export class PurgeCompany implements JobHandler {
  readonly kind: string = PURGE_COMPANY

  constructor(private readonly clock: Clock) {}

  async run(run: JobRun): Promise<void> {
    const companyId = run.subject
    const isDeleted = await whenNoBackup(run, async ({ companies }) => await companies.isDeleted(companyId))
    if (isDeleted) {
      await this.#removeContexts(run)
      await this.#closeDestinations(run)
      await inSteps(run, async ({ deliveries }) => {
        return (await deliveries.removeOfCompany(companyId, ROWS_PER_STEP)) > 0 ? 'more' : 'done'
      })
      let after = 0
      await inSteps(run, async ({ deliveries }) => {
        const last = await deliveries.removeEventsOfCompany(companyId, { after, limit: ROWS_PER_STEP })
        after = last ?? after
        return last === undefined ? 'done' : 'more'
      })
      await run.transaction(({ destinations }) => destinations.deleteOfCompany(companyId))
    }
    await run.complete(async () => undefined)
  }

  /** The purge retries until it succeeds: the data of a deleted company must not stay. */
  async fail({ jobs }: Repositories, subject: number): Promise<void> {
    await jobs.enqueue({ kind: PURGE_COMPANY, subject }, { delayMs: RETRY_MS })
  }

  /** The accounts are deleted, so no new contexts can appear. */
  async #removeContexts(run: JobRun): Promise<void> {
    for (const accountId of await run.transaction(({ accounts }) => accounts.listIds(run.subject))) {
      await removeAccountContexts(run, accountId, this.clock)
    }
  }

  /** Cancels the deliveries that wait, and removes the signing secrets. */
  async #closeDestinations(run: JobRun): Promise<void> {
    for (const id of await run.transaction(({ destinations }) => destinations.idsOfCompany(run.subject))) {
      await inSteps(run, async ({ jobs, destinations }) => {
        await jobs.cancelLane(DELIVER_EVENT, id)
        await destinations.remove(id, this.clock.now().toISOString())
        return 'done'
      })
    }
  }
}

/** Runs a step, each time in a transaction of its own, until it returns 'done'. */
async function inSteps(run: JobRun, step: (repositories: Repositories) => Promise<'done' | 'more'>): Promise<void> {
  do run.signal.throwIfAborted()
  while ((await run.transaction(step, { isProgress: true })) === 'more')
}
