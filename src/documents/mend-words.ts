import { type JobHandler, type JobRun, untilNoBackup } from '../jobs/index.js'
import { StorageError, VectorsDamagedError } from '../kernel/errors.js'
import { pages } from '../kernel/lists.js'
import type { LexicalIndex, Repositories, Storage, Telemetry } from '../ports/index.js'
import { collectionsOf, contextOfCollection } from './collections.js'
import { enqueueWords, MEND_WORDS } from './document-jobs.js'

/** Receives the contexts whose words were found damaged. */
export class DamagedWords {
  /** Undefined in an engine that does not mend. */
  onFound: ((contextId: number) => void) | undefined

  note(collection: unknown): void {
    const contextId = typeof collection === 'string' ? contextOfCollection(collection) : undefined
    if (contextId !== undefined) this.onFound?.(contextId)
  }
}

/** Writes that can be done once the words are mended. */
const WRITES: ReadonlySet<unknown> = new Set<keyof LexicalIndex>(['add', 'deleteDocument'])

/**
 * The index, which reports each collection that a call finds damaged. A write to such a collection fails for a while
 * only: its job retries, and the words are mended by then.
 */
export function withDamageNoted(index: LexicalIndex, damaged: DamagedWords): LexicalIndex {
  return new Proxy(index, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key, target)
      if (typeof member !== 'function') return member
      return (...args: readonly unknown[]): unknown => {
        const result = Reflect.apply(member, target, args) as Promise<unknown>
        return result.catch((error: unknown) => {
          if (!(error instanceof VectorsDamagedError)) throw error
          damaged.note(args[0])
          if (damaged.onFound === undefined || !WRITES.has(key)) throw error
          throw new StorageError('the words of the context are damaged, and are built again: retry later', {
            cause: error,
            isTransient: true,
          })
        })
      }
    },
  })
}

const DOCUMENTS_PER_PAGE = 100
const RETRY_MS = 60_000

/**
 * Builds damaged words of a context again, from the stored chunks: drops the damaged collections, and has the words of
 * all documents indexed. Searches by meaning find them all the time.
 */
export class MendWords implements JobHandler {
  readonly kind: string = MEND_WORDS
  readonly #storage: Storage
  readonly #index: LexicalIndex
  readonly #damaged: DamagedWords
  readonly #telemetry: Telemetry
  /** Contexts whose job is being enqueued, or was enqueued and has not run yet. */
  readonly #queued = new Set<number>()

  constructor(storage: Storage, index: LexicalIndex, damaged: DamagedWords, telemetry: Telemetry) {
    this.#storage = storage
    this.#index = index
    this.#damaged = damaged
    this.#telemetry = telemetry
  }

  /** Enqueues a job for each context whose words are found damaged from now on. No call waits for that. */
  start(onQueued: () => void): void {
    this.#damaged.onFound = (contextId) => {
      if (this.#queued.has(contextId)) return
      this.#queued.add(contextId)
      this.#enqueue(contextId).then(onQueued, (error: unknown) => {
        // The next call that finds the damage enqueues it.
        this.#queued.delete(contextId)
        this.#telemetry.record({ name: 'words.mending.failed', level: 'warn', fields: { contextId }, error })
      })
    }
  }

  stop(): void {
    this.#damaged.onFound = undefined
  }

  async run(job: JobRun): Promise<void> {
    const contextId = job.subject
    try {
      await untilNoBackup((work) => job.transaction(work), job.signal)
      const damaged = await this.#damagedCollections(contextId)
      if (damaged.length > 0) {
        // Before the drop: after a crash between the two, the next run drops what is still damaged.
        await this.#forgetWords(job)
        for (const name of damaged) await this.#index.drop(name)
        // A second time: a document may have been indexed into the dropped collection meanwhile.
        await this.#forgetWords(job)
        const fields = { contextId, collections: damaged.join() }
        this.#telemetry.record({ name: 'words.mending', level: 'warn', fields })
      }
      await job.complete(async (repositories) => {
        if ((await repositories.contexts.get(contextId)) !== undefined) await enqueueWords(repositories, contextId)
      })
    } finally {
      this.#queued.delete(contextId)
    }
  }

  /** Even a long failure may be transient. */
  async fail({ jobs }: Repositories, contextId: number): Promise<void> {
    await jobs.enqueue({ kind: MEND_WORDS, subject: contextId, lane: contextId }, { delayMs: RETRY_MS })
  }

  async #enqueue(contextId: number): Promise<void> {
    const job = { kind: MEND_WORDS, subject: contextId, lane: contextId }
    await this.#storage.transaction(async ({ jobs }) => await jobs.enqueue(job))
  }

  async #damagedCollections(contextId: number): Promise<readonly string[]> {
    const damaged: string[] = []
    for (const name of await collectionsOf(this.#index, contextId)) {
      await this.#index.countByDocument(name).catch((error: unknown) => {
        if (!(error instanceof VectorsDamagedError)) throw error
        damaged.push(name)
      })
    }
    return damaged
  }

  /** Records on the documents of a context that their words are not indexed. */
  async #forgetWords(job: JobRun): Promise<void> {
    const idPages = pages(DOCUMENTS_PER_PAGE, async (page) => {
      return await this.#storage.read(({ documents }) => documents.listIds(job.subject, page))
    })
    for await (const ids of idPages) {
      await job.transaction(
        async ({ documents }) => {
          for (const { id, wordsVersion } of await documents.find(ids)) {
            if (wordsVersion !== null) await documents.update(id, { wordsVersion: null })
          }
        },
        { isProgress: true },
      )
    }
  }
}
