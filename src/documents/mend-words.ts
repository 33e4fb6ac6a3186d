import { ANALYZER_VERSION } from '../analysis/index.js'
import { type JobHandler, type JobRun, untilNoBackup } from '../jobs/index.js'
import { StorageError, VectorsDamagedError } from '../kernel/errors.js'
import { pages } from '../kernel/lists.js'
import type { DocumentRecord, LexicalIndex, Repositories, Storage, Telemetry } from '../ports/index.js'
import { collectionsOf, contextOfCollection, wordCollectionOf } from './collections.js'
import { enqueueWords, MEND_WORDS } from './document-jobs.js'

/** Receives the contexts whose words were found damaged, or lost. */
export class DamagedWords {
  /** Undefined in an engine that does not mend. */
  onFound: ((contextId: number) => void) | undefined

  note(collection: unknown): void {
    const contextId = typeof collection === 'string' ? contextOfCollection(collection) : undefined
    if (contextId !== undefined) this.noteContext(contextId)
  }

  noteContext(contextId: number): void {
    this.onFound?.(contextId)
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
 * all documents indexed. Without damage, it does that for the documents whose words are lost, as with a removed file.
 * Searches by meaning find them all the time.
 */
export class MendWords implements JobHandler {
  readonly kind: string = MEND_WORDS
  /** Contexts whose job is being enqueued, or was enqueued and has not run yet. */
  readonly #queued = new Set<number>()

  constructor(
    private readonly storage: Storage,
    private readonly index: LexicalIndex,
    private readonly damaged: DamagedWords,
    private readonly telemetry: Telemetry,
  ) {}

  /** Enqueues a job for each context whose words are found damaged from now on. No call waits for that. */
  start(onQueued: () => void): void {
    this.damaged.onFound = (contextId) => {
      if (this.#queued.has(contextId)) return
      this.#queued.add(contextId)
      this.#enqueue(contextId).then(onQueued, (error: unknown) => {
        // The next call that finds the damage enqueues it.
        this.#queued.delete(contextId)
        this.telemetry.record({ name: 'words.mending.failed', level: 'warn', fields: { contextId }, error })
      })
    }
  }

  stop(): void {
    this.damaged.onFound = undefined
  }

  async run(job: JobRun): Promise<void> {
    const contextId = job.subject
    try {
      await untilNoBackup((work) => job.transaction(work), job.signal)
      const damaged = await this.#damagedCollections(contextId)
      if (damaged.length > 0) {
        // Before the drop: after a crash between the two, the next run drops what is still damaged.
        await this.#forgetWords(job)
        for (const name of damaged) await this.index.drop(name)
        // A second time: a document may have been indexed into the dropped collection meanwhile.
        await this.#forgetWords(job)
      }
      const collections = damaged.length > 0 ? damaged : await this.#forgetLostWords(job)
      if (collections.length > 0) {
        const fields = { contextId, collections: collections.join() }
        this.telemetry.record({ name: 'words.mending', level: 'warn', fields })
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
    await this.storage.transaction(async ({ jobs }) => await jobs.enqueue(job))
  }

  async #damagedCollections(contextId: number): Promise<readonly string[]> {
    const damaged: string[] = []
    for (const name of await collectionsOf(this.index, contextId)) {
      await this.index.countByDocument(name).catch((error: unknown) => {
        if (!(error instanceof VectorsDamagedError)) throw error
        damaged.push(name)
      })
    }
    return damaged
  }

  /** As {@link #forgetWords}, for documents whose words the index lacks. @returns the name of their collection, if any */
  async #forgetLostWords(job: JobRun): Promise<readonly string[]> {
    const generations = await this.storage.read(({ contexts }) => contexts.generations(job.subject))
    if (generations === undefined) return []
    const collection = wordCollectionOf({ id: job.subject, generation: generations.generation })
    const counts = await this.index.countByDocument(collection)
    // A document that is indexed after this count is indexed once more, which is harmless.
    const lost = await this.#forgetWords(job, ({ id, generation, wordsVersion, chunkCount }) => {
      if (generation !== null || wordsVersion !== ANALYZER_VERSION) return false
      return (counts.get(id) ?? 0) < chunkCount
    })
    return lost > 0 ? [collection] : []
  }

  /** Records on documents of a context that their words are not indexed. @returns the number of these documents */
  async #forgetWords(job: JobRun, isForgotten: (document: DocumentRecord) => boolean = () => true): Promise<number> {
    let forgotten = 0
    const idPages = pages(DOCUMENTS_PER_PAGE, async (page) => {
      return await this.storage.read(({ documents }) => documents.listIds(job.subject, page))
    })
    for await (const ids of idPages) {
      await job.transaction(
        async ({ documents }) => {
          for (const document of await documents.find(ids)) {
            if (document.wordsVersion === null || !isForgotten(document)) continue
            await documents.update(document.id, { wordsVersion: null })
            forgotten += 1
          }
        },
        { isProgress: true },
      )
    }
    return forgotten
  }
}
