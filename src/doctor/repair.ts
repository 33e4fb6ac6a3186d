import { isUnfinished, removeChunks, resetDocument } from '../documents/index.js'
import { untilNoBackup } from '../jobs/index.js'
import { inBatches } from '../kernel/batches.js'
import { AlcoveError, StorageError, VectorsDamagedError } from '../kernel/errors.js'
import { pause, untilAborted } from '../kernel/scheduling/abort.js'
import type { Sweep } from '../maintenance/index.js'
import type { FileStore, Storage, VectorIndex } from '../ports/index.js'
import { documentIdPages } from './document-ids.js'
import { type Finding, type RepairKind, type VerifyProgress, versionIdOf } from './finding.js'
import { tryDrop, type WordRepair } from './word-repair.js'

const DOCUMENTS_PER_TRANSACTION = 100
const DOCUMENTS_PER_WAIT = 200
const POLL_MS = 100

/** The workers of the engine, which do most of the repair. */
export interface RepairWorkers {
  /** True if this engine processes documents. */
  readonly isIngesting: boolean
  /** True if a sweep of this engine follows its start. Otherwise a later start, or another process, sweeps. */
  readonly isSweeping: boolean
  /** Resolves once the sweep at the start, or its replacement, is finished. */
  whenSwept(): Promise<void>
  /** Starts the work, if the engine has postponed it until its database is known to be undamaged. */
  begin(): Promise<void>
  /** Notifies the workers of new jobs. */
  wake(): void
  /** Resolves once deleted data is removed, or its removal waits for a later try. */
  whenCleared(): Promise<unknown>
}

interface RepairOptions {
  readonly signal: AbortSignal
  readonly onProgress: (progress: VerifyProgress) => void
}

/** The repairs that failed. */
export interface RepairFailures {
  /** The error of each version of a document whose second processing failed, by its id. */
  readonly ofDocuments: ReadonlyMap<number, string>
  /** Ids of contexts whose words could not be indexed. */
  readonly ofWords: ReadonlySet<number>
}

/** Repairs findings by the engine's usual work: the sweep, and the processing and indexing of documents. */
export class Repair {
  constructor(
    private readonly storage: Storage,
    private readonly fileStore: FileStore,
    private readonly index: VectorIndex,
    private readonly words: WordRepair,
    private readonly sweep: Sweep,
  ) {}

  async run(findings: readonly Finding[], workers: RepairWorkers, options: RepairOptions): Promise<RepairFailures> {
    const { signal } = options
    const droppedContexts: number[] = []
    for (const finding of findings) {
      await this.#untilNoBackup(signal)
      if (finding.code !== 'collection-unreadable') await this.#repairAtOnce(finding)
      else if (await tryDrop(this.index, finding.subject.collection ?? ''))
        droppedContexts.push(finding.subject.contextId ?? 0)
    }
    // All documents of a dropped collection: the drop removed their undamaged vectors too.
    const reset = [...new Set([...documentsOf(findings, 'process'), ...(await this.#documentsIn(droppedContexts))])]
    for (const ids of inBatches(reset, DOCUMENTS_PER_TRANSACTION)) {
      await this.#untilNoBackup(signal)
      await this.#resetDocuments(ids)
    }
    const wordOptions = {
      signal,
      untilNoBackup: async () => await this.#untilNoBackup(signal),
      wake: () => workers.wake(),
      onProgress: (documents: number, total: number) => {
        if (total > 0) options.onProgress({ stage: 'repairing', documents, total })
      },
    }
    const reindexed = await this.words.start(findings, wordOptions)
    if (findings.some(({ repairKind }) => repairKind === 'sweep')) await this.#runSweep(signal)
    workers.wake()
    const withoutJob = findings.filter(({ code }) => code === 'job-missing')
    const resumed = documentsOf(withoutJob, 'sweep')
    const ofDocuments = await this.#untilProcessed([...reset, ...resumed], options)
    const ofWords = await this.words.finish(reindexed, findings, wordOptions)
    await untilAborted(workers.whenCleared(), signal)
    // Last: by now the context has its vectors in another collection.
    for (const { code, subject } of findings) {
      if (code === 'collection-of-other-model') await this.index.drop(subject.collection ?? '')
    }
    return { ofDocuments, ofWords }
  }

  /** Does the repairs that need neither the sweep nor a second processing. */
  async #repairAtOnce(finding: Finding): Promise<void> {
    const { code, repairKind, subject } = finding
    const { documentUuid = '', contextId = 0, collection = '', job = '' } = subject
    const versionId = versionIdOf(finding) ?? 0
    switch (repairKind) {
      case 'remove-uploads':
        await this.storage.transaction(({ uploads }) => uploads.removeExpired({ all: false }))
        return
      case 'remove-vectors':
        await this.index.deleteDocument(collection, versionId, 0)
        return
      case 'remove-chunks':
        await removeChunks(this.storage, versionId)
        return
      case 'correct-size':
        await this.#correctSize(versionId, documentUuid)
        return
      case 'cancel-job':
        await this.#cancelJob(job, versionId || contextId, { isSubjectMissing: code === 'job-without-subject' })
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
        repairKind satisfies never
    }
  }

  async #correctSize(documentId: number, uuid: string): Promise<void> {
    const sizeBytes = await this.fileStore.sizeOf(uuid)
    if (sizeBytes === undefined) return
    await this.storage.transaction(({ documents }) => documents.update(documentId, { sizeBytes }))
  }

  async #cancelJob(
    kind: string,
    subject: number,
    { isSubjectMissing }: { readonly isSubjectMissing: boolean },
  ): Promise<void> {
    await this.storage.transaction(async ({ documents, jobs }) => {
      const document = isSubjectMissing ? undefined : await documents.get(subject)
      // A user has retried the document since it was checked: it needs the job.
      if (document !== undefined && isUnfinished(document)) return
      await jobs.cancelAll([{ kind, subject }])
    })
  }

  async #documentsIn(contextIds: readonly number[]): Promise<number[]> {
    const found: number[] = []
    for (const contextId of contextIds) {
      for await (const ids of documentIdPages(this.storage, contextId)) found.push(...ids)
    }
    return found
  }

  async #resetDocuments(ids: readonly number[]): Promise<void> {
    await this.storage.transaction(async (repositories) => {
      for (const id of ids) {
        const document = await repositories.documents.get(id)
        // Deleted since the check, or a worker processes it already.
        if (document === undefined || document.completed === null || document.generation !== null) continue
        await resetDocument(repositories, document)
      }
    })
  }

  /** The sweep stops at a collection that is still unreadable. The recheck reports that; the repair goes on. */
  async #runSweep(signal: AbortSignal): Promise<void> {
    try {
      await this.sweep.run(signal)
    } catch (error) {
      const isReported = error instanceof VectorsDamagedError || error instanceof StorageError
      if (error instanceof AlcoveError && !isReported) throw error
    }
  }

  async #untilProcessed(ids: readonly number[], options: RepairOptions): Promise<ReadonlyMap<number, string>> {
    const failures = new Map<number, string>()
    let processed = 0
    for (const part of inBatches(ids, DOCUMENTS_PER_WAIT)) {
      let waiting = part
      while (waiting.length > 0) {
        const records = await this.storage.read(({ documents }) => documents.find(waiting))
        for (const { id, error, deleted } of records) {
          if (error !== null && deleted === null) failures.set(id, error)
        }
        const unfinished = records.filter(isUnfinished)
        processed += waiting.length - unfinished.length
        waiting = unfinished.map(({ id }) => id)
        options.onProgress({ stage: 'repairing', documents: processed, total: ids.length })
        if (waiting.length > 0) await pause(POLL_MS, options.signal)
      }
    }
    return failures
  }

  /** A backup copies rows first, then files and indexes: what its rows name must stay until it has copied that. */
  async #untilNoBackup(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    await untilNoBackup((work) => this.storage.read(work), signal)
  }
}

/** Ids of the versions of documents whose findings have this repair kind. */
function documentsOf(findings: readonly Finding[], kind: RepairKind): number[] {
  const ids = findings.flatMap((finding) => (finding.repairKind === kind ? (versionIdOf(finding) ?? []) : []))
  return [...new Set(ids)]
}
