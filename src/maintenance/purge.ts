import { PURGE_ACCOUNT, PURGE_CONTEXT, removeContext } from '../contexts/index.js'
import {
  type CollectionIndex,
  collectionsOf,
  INDEX_WORDS,
  INGEST_DOCUMENT,
  PURGE_DOCUMENT,
  removeChunks,
} from '../documents/index.js'
import type { JobHandler, JobRun } from '../jobs/index.js'
import { untilNoBackup } from '../jobs/index.js'
import { DELIVER_EVENT } from '../outbox/index.js'
import type { Clock, FileStore, Repositories } from '../ports/index.js'
import { PURGE_COMPANY } from '../tenancy/index.js'

/**
 * Removes what is left of a deleted document: its file, chunks, vectors and words, and its row at last. The file comes
 * first: it is what takes no room to remove, and so makes some on a full disk.
 */
export class PurgeDocument implements JobHandler {
  readonly kind: string = PURGE_DOCUMENT
  readonly #indexes: readonly CollectionIndex[]
  readonly #fileStore: FileStore

  /** @param indexes of vectors and of words */
  constructor(indexes: readonly CollectionIndex[], fileStore: FileStore) {
    this.#indexes = indexes
    this.#fileStore = fileStore
  }

  async run(run: JobRun): Promise<void> {
    await untilNoBackup((work) => run.transaction(work), run.signal)
    const [document] = await run.transaction(({ documents }) => documents.find([run.subject]))
    const doomed = document?.deleted === null ? undefined : document
    if (doomed !== undefined) {
      await this.#fileStore.delete(doomed.uuid)
      await removeChunks(run, doomed.id)
      for (const index of this.#indexes) {
        for (const name of await collectionsOf(index, doomed.contextId)) await index.deleteDocument(name, doomed.id, 0)
      }
    }
    await run.complete(async ({ documents }) => {
      if (doomed !== undefined) await documents.remove(doomed.id)
    })
  }

  /** Nothing to record: the sweep at the next start tries again. */
  async fail(): Promise<void> {
    await Promise.resolve()
  }
}

/**
 * Removes what is left of a deleted context: the files of its documents, its vectors and its words as a whole, for that
 * takes no room; then the rows of its documents, and its own.
 */
export class PurgeContext implements JobHandler {
  readonly kind: string = PURGE_CONTEXT
  readonly #indexes: readonly CollectionIndex[]
  readonly #fileStore: FileStore
  readonly #clock: Clock

  /** @param indexes of vectors and of words */
  constructor(indexes: readonly CollectionIndex[], fileStore: FileStore, clock: Clock) {
    this.#indexes = indexes
    this.#fileStore = fileStore
    this.#clock = clock
  }

  async run(run: JobRun): Promise<void> {
    await untilNoBackup((work) => run.transaction(work), run.signal)
    const isDeleted = await run.transaction(({ contexts }) => contexts.isDeleted(run.subject))
    if (isDeleted) {
      const doomed = await run.transaction(async ({ documents, jobs }) => {
        await jobs.cancelLane(INGEST_DOCUMENT, run.subject)
        await jobs.cancel({ kind: INDEX_WORDS, subject: run.subject })
        // They were left as they were where a user's contexts were deleted together.
        await documents.deleteOfContext(run.subject, this.#clock.now().toISOString())
        return await documents.listDeleted(run.subject)
      })
      for (const { uuid } of doomed) {
        run.signal.throwIfAborted()
        await this.#fileStore.delete(uuid)
      }
      await this.#dropCollections(run.subject)
      for (const document of doomed) {
        await removeChunks(run, document.id)
        await run.transaction(async ({ documents, jobs }) => {
          await jobs.cancel({ kind: PURGE_DOCUMENT, subject: document.id })
          await documents.remove(document.id)
        })
      }
      // What was being written when it was cancelled.
      await this.#dropCollections(run.subject)
    }
    await run.complete(async ({ contexts }) => {
      if (isDeleted) await contexts.remove(run.subject)
    })
  }

  async #dropCollections(contextId: number): Promise<void> {
    for (const index of this.#indexes) {
      for (const name of await collectionsOf(index, contextId)) await index.drop(name)
    }
  }

  /** Nothing to record: the sweep at the next start tries again. */
  async fail(): Promise<void> {
    await Promise.resolve()
  }
}

const RETRY_MS = 60_000

/** Deletes the contexts of a deleted account, which nobody reaches any more. */
export class PurgeAccount implements JobHandler {
  readonly kind: string = PURGE_ACCOUNT
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async run(run: JobRun): Promise<void> {
    const accountId = run.subject
    await untilNoBackup((work) => run.transaction(work), run.signal)
    const isDeleted = (await run.transaction(({ accounts }) => accounts.get(accountId))) === undefined
    if (isDeleted) await removeContextsOf(run, accountId, this.#clock)
    await run.complete(async () => undefined)
  }

  /** What is left of an account must not stay. */
  async fail({ jobs }: Repositories, subject: number): Promise<void> {
    await jobs.enqueue({ kind: PURGE_ACCOUNT, subject }, { delayMs: RETRY_MS })
  }
}

/** Deletes the contexts of an account, one in a step: each may have megabytes of texts and thousands of documents. */
async function removeContextsOf(run: JobRun, accountId: number, clock: Clock): Promise<void> {
  await inSteps(run, async (repositories) => {
    const { contexts } = repositories
    const [id] = await contexts.listIds({ accountId }, { after: 0, limit: 1 })
    if (id === undefined) return 'done'
    // An upload that is being settled holds it, and is a document by then.
    await contexts.lock(id)
    await removeContext(repositories, id, clock.now().toISOString())
    return 'more'
  })
}

/** Few enough that nobody waits long for the database. */
const ROWS_AT_ONCE = 200

/**
 * Removes what is left of a deleted company, in steps, each of which is done or not: its contexts, whose files,
 * vectors and words have jobs of their own; then deliveries to its destinations, its events, and its destinations.
 */
export class PurgeCompany implements JobHandler {
  readonly kind: string = PURGE_COMPANY
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async run(run: JobRun): Promise<void> {
    const companyId = run.subject
    await untilNoBackup((work) => run.transaction(work), run.signal)
    if (await run.transaction(({ companies }) => companies.isDeleted(companyId))) {
      await this.#removeContexts(run)
      await this.#endDestinations(run)
      await inSteps(run, async ({ deliveries }) => {
        return (await deliveries.removeOfCompany(companyId, ROWS_AT_ONCE)) > 0 ? 'more' : 'done'
      })
      let after = 0
      await inSteps(run, async ({ deliveries }) => {
        const last = await deliveries.removeEventsOfCompany(companyId, { after, limit: ROWS_AT_ONCE })
        after = last ?? after
        return last === undefined ? 'done' : 'more'
      })
      await run.transaction(({ destinations }) => destinations.deleteOfCompany(companyId))
    }
    await run.complete(async () => undefined)
  }

  /** What is left of a company must not stay. */
  async fail({ jobs }: Repositories, subject: number): Promise<void> {
    await jobs.enqueue({ kind: PURGE_COMPANY, subject }, { delayMs: RETRY_MS })
  }

  /** No context is made any more: the accounts are deleted. */
  async #removeContexts(run: JobRun): Promise<void> {
    for (const accountId of await run.transaction(({ accounts }) => accounts.listIds(run.subject))) {
      await removeContextsOf(run, accountId, this.#clock)
    }
  }

  /** The signing secrets go, and what was on its way. */
  async #endDestinations(run: JobRun): Promise<void> {
    for (const id of await run.transaction(({ destinations }) => destinations.idsOfCompany(run.subject))) {
      await inSteps(run, async ({ jobs, destinations }) => {
        await jobs.cancelLane(DELIVER_EVENT, id)
        await destinations.remove(id, this.#clock.now().toISOString())
        return 'done'
      })
    }
  }
}

/** Does a job in steps, each a transaction of its own, until one says that it was the last. */
async function inSteps(run: JobRun, step: (repositories: Repositories) => Promise<'done' | 'more'>): Promise<void> {
  do run.signal.throwIfAborted()
  while ((await run.transaction(step, { isProgress: true })) === 'more')
}
