import { isUnfinished, processAgain, removeChunks } from '../documents/index.js'
import { untilNoBackup } from '../jobs/index.js'
import { pause, untilAborted } from '../kernel/abort.js'
import { AlcoveError, StorageError, VectorsDamagedError } from '../kernel/errors.js'
import { inParts } from '../kernel/in-parts.js'
import { pages } from '../kernel/lists.js'
import { type Sweep } from '../maintenance/index.js'
import type { FileStore, Storage, VectorIndex } from '../ports/index.js'
import type { Finding, Mend, VerifyProgress } from './finding.js'
import type { WordRepair } from './word-repair.js'

const DOCUMENTS_PER_PAGE = 500
const DOCUMENTS_PER_TRANSACTION = 100
const DOCUMENTS_PER_WAIT = 200
const WAIT_MS = 100

/** The workers of the engine, which do most of what is to be repaired. */
export interface RepairWorkers {
  /** Whether this engine processes documents. */
  readonly isIngesting: boolean
  /** Resolves once the sweep at the start has ended, or what is done instead. */
  whenSwept(): Promise<void>
  /** Begins to work, where that was put off until the database is known to be sound. */
  begin(): Promise<void>
  /** Tells that there is work. */
  wake(): void
  /** Resolves once what was deleted is gone, or waits. */
  whenCleared(): Promise<unknown>
}

interface RepairOptions {
  readonly signal: AbortSignal
  readonly onProgress: (progress: VerifyProgress) => void
}

/** What could not be mended. */
export interface RepairFailures {
  /** Why documents could not be processed again, by their ids. */
  readonly ofDocuments: ReadonlyMap<number, string>
  /** Ids of contexts whose words could not be indexed again. */
  readonly ofWords: ReadonlySet<number>
}

/** Mends what was found, by what the engine does anyway: the sweep, and processing and indexing documents. */
export class Repair {
  readonly #storage: Storage
  readonly #fileStore: FileStore
  readonly #index: VectorIndex
  readonly #words: WordRepair
  readonly #sweep: Sweep

  constructor(storage: Storage, fileStore: FileStore, index: VectorIndex, words: WordRepair, sweep: Sweep) {
    this.#storage = storage
    this.#fileStore = fileStore
    this.#index = index
    this.#words = words
    this.#sweep = sweep
  }

  async run(findings: readonly Finding[], workers: RepairWorkers, options: RepairOptions): Promise<RepairFailures> {
    const { signal } = options
    const dropped: number[] = []
    for (const finding of findings) {
      await this.#untilNoBackup(signal)
      if (finding.code !== 'collection-unreadable') await this.#mend(finding)
      else if (await this.#drop(finding)) dropped.push(finding.subject.contextId ?? 0)
    }
    // Of a dropped collection some vectors may have been there, to be counted.
    const putBack = [...new Set([...documentsOf(findings, 'process'), ...(await this.#documentsIn(dropped))])]
    for (const ids of inParts(putBack, DOCUMENTS_PER_TRANSACTION)) {
      await this.#untilNoBackup(signal)
      await this.#putBack(ids)
    }
    const forWords = {
      signal,
      untilNoBackup: async () => await this.#untilNoBackup(signal),
      wake: () => workers.wake(),
      onProgress: (documents: number, total: number) => {
        if (total > 0) options.onProgress({ stage: 'repairing', documents, total })
      },
    }
    const forgotten = await this.#words.begin(findings, forWords)
    if (findings.some(({ mend }) => mend === 'sweep')) await this.#runSweep(signal)
    workers.wake()
    const resumed = documentsOf(
      findings.filter(({ code }) => code === 'job-missing'),
      'sweep',
    )
    const ofDocuments = await this.#untilProcessed([...putBack, ...resumed], options)
    const failedWords = await this.#words.finish(forgotten, findings, forWords)
    await untilAborted(workers.whenCleared(), signal)
    // Now that what it held is elsewhere.
    for (const { code, subject } of findings) {
      if (code === 'collection-of-other-model') await this.#index.drop(subject.collection ?? '')
    }
    return { ofDocuments, ofWords: failedWords }
  }

  async #documentsIn(contextIds: readonly number[]): Promise<number[]> {
    const found: number[] = []
    for (const contextId of contextIds) {
      const listed = pages(DOCUMENTS_PER_PAGE, async (page) => {
        return await this.#storage.read(({ documents }) => documents.listIds(contextId, page))
      })
      for await (const ids of listed) found.push(...ids)
    }
    return found
  }

  /** What a backup has seen in the rows is there until it has copied it. */
  async #untilNoBackup(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    await untilNoBackup((work) => this.#storage.read(work), signal)
  }

  /** A collection that even now cannot be read is told as what it is, and is no reason to leave all else undone. */
  async #runSweep(signal: AbortSignal): Promise<void> {
    try {
      await this.#sweep.run(signal)
    } catch (error) {
      const isTold = error instanceof VectorsDamagedError || error instanceof StorageError
      if (error instanceof AlcoveError && !isTold) throw error
    }
  }

  /** Mends at once what needs neither the sweep nor a document that is processed again. */
  async #mend({ code, mend, subject }: Finding): Promise<void> {
    const { documentId = 0, documentUuid = '', contextId = 0, collection = '', job = '' } = subject
    switch (mend) {
      case 'remove-uploads':
        await this.#storage.transaction(({ uploads }) => uploads.removeExpired({ all: false }))
        return
      case 'remove-vectors':
        await this.#index.deleteDocument(collection, documentId, 0)
        return
      case 'remove-chunks':
        await removeChunks(this.#storage, documentId)
        return
      case 'correct-size':
        await this.#correctSize(documentId, documentUuid)
        return
      case 'cancel-job':
        await this.#cancel(job, code === 'job-surplus' ? 'done' : 'gone', documentId || contextId)
        return
      // `run` does these, and `WordRepair` those of words.
      case 'sweep':
      case 'process':
      case 'drop-collection':
      case 'index-words':
      case 'remove-words':
      case 'drop-words':
      case undefined:
        return
      default:
        mend satisfies never
    }
  }

  /** Where even that fails, the files are for a person to look at, and the problem is told again. */
  async #drop({ subject: { collection = '' } }: Finding): Promise<boolean> {
    return await this.#index.drop(collection).then(
      () => true,
      () => false,
    )
  }

  async #correctSize(documentId: number, uuid: string): Promise<void> {
    const sizeBytes = await this.#fileStore.sizeOf(uuid)
    if (sizeBytes === undefined) return
    await this.#storage.transaction(({ documents }) => documents.update(documentId, { sizeBytes }))
  }

  async #cancel(kind: string, state: 'done' | 'gone', subject: number): Promise<void> {
    await this.#storage.transaction(async ({ documents, jobs }) => {
      const document = state === 'done' ? await documents.get(subject) : undefined
      // Somebody has put it back to work meanwhile.
      if (document !== undefined && isUnfinished(document)) return
      await jobs.cancel({ kind, subject })
    })
  }

  async #putBack(ids: readonly number[]): Promise<void> {
    await this.#storage.transaction(async (repositories) => {
      for (const id of ids) {
        const document = await repositories.documents.get(id)
        // Deleted meanwhile, or at work already.
        if (document === undefined || document.completed === null) continue
        await processAgain(repositories, document)
      }
    })
  }

  async #untilProcessed(ids: readonly number[], options: RepairOptions): Promise<ReadonlyMap<number, string>> {
    const failures = new Map<number, string>()
    let done = 0
    for (const part of inParts(ids, DOCUMENTS_PER_WAIT)) {
      let waiting = part
      while (waiting.length > 0) {
        const records = await this.#storage.read(({ documents }) => documents.find(waiting))
        for (const { id, error, deleted } of records) {
          if (error !== null && deleted === null) failures.set(id, error)
        }
        const open = records.filter(isUnfinished)
        done += waiting.length - open.length
        waiting = open.map(({ id }) => id)
        options.onProgress({ stage: 'repairing', documents: done, total: ids.length })
        if (waiting.length > 0) await pause(WAIT_MS, options.signal)
      }
    }
    return failures
  }
}

function documentsOf(findings: readonly Finding[], mend: Mend): number[] {
  return [...new Set(findings.flatMap((finding) => (finding.mend === mend ? (finding.subject.documentId ?? []) : [])))]
}
