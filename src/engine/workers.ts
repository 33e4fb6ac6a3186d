import { TRIM_AUDIT } from '../audit/index.js'
import { isRemovingGenerations, REINDEX_CONTEXT } from '../contexts/index.js'
import type { RepairWorkers, StartCheck } from '../doctor/index.js'
import { enqueueMissingWords, INGEST_DOCUMENT, type MendWords } from '../documents/index.js'
import type { Progress } from '../jobs/index.js'
import { pause } from '../kernel/scheduling/abort.js'
import { SWEEP_JOB, type Sweep } from '../maintenance/index.js'
import { DELIVER_EVENT, TRIM_DELIVERIES } from '../outbox/index.js'
import type { Storage, Telemetry } from '../ports/index.js'
import type { EngineOptions, EngineRole } from './engine-options.js'
import type { EngineParts } from './engine-parts.js'
import { allWorkers, createJobWorkers, type JobWorkers } from './job-workers.js'
import type { WorkSignals } from './operations/operations.js'

/** Interval of the reads of a wait for the removal of former generations. */
const REMOVAL_POLL_MS = 20

/**
 * The workers of an engine, for: documents, words of older documents, re-indexes, purging, mails, and the relay of events. Also
 * runs the sweep at the start, and the check after it.
 */
export class Workers implements WorkSignals, RepairWorkers {
  readonly #jobWorkers: JobWorkers
  readonly #storage: Storage
  readonly #sweep: Sweep
  readonly #startCheck: StartCheck
  readonly #mendWords: MendWords
  readonly #isAlone: boolean
  readonly #isSweeping: boolean
  readonly #telemetry: Telemetry
  readonly #roles: readonly EngineRole[]
  readonly #stopping = new AbortController()
  /** Resolves once the workers are started; undefined before that is requested. */
  #started: Promise<void> | undefined
  #stopWatching: () => Promise<void> = () => Promise.resolve()
  /** Resolves once the sweep at the start, or its replacement, is finished. Never rejects. */
  #swept: Promise<void> = Promise.resolve()
  /** Resolves once the check after the start is finished. Never rejects. */
  #checked: Promise<void> = Promise.resolve()

  constructor(parts: EngineParts, options: EngineOptions) {
    this.#jobWorkers = createJobWorkers(parts, options)
    parts.reindexContext.onJobsChanged = (abandonedIds = []) => {
      for (const subject of abandonedIds) this.#jobWorkers.ingestion.abandon({ kind: INGEST_DOCUMENT, subject })
      this.#jobWorkers.ingestion.wake()
      this.#jobWorkers.reindexing.wake()
      this.#jobWorkers.purging.wake()
    }
    parts.processDocument.onDeliveriesQueued = () => this.#jobWorkers.relay.wake()
    this.#storage = parts.storage
    this.#roles = options.roles ?? ['ingest', 'relay']
    this.#sweep = parts.sweep
    this.#startCheck = parts.startCheck
    this.#mendWords = parts.mendWords
    this.#isAlone = options.isAlone ?? false
    this.#isSweeping = options.isSweeping ?? true
    this.#telemetry = parts.telemetry
  }

  /**
   * Starts the workers, and the sweep in the background. Without a sweep, the workers start in the background, as soon
   * as a check has found no damage in the database.
   */
  async start(): Promise<void> {
    if (!this.#isSweeping) {
      this.#swept = this.#startIfUndamaged()
      return
    }
    await this.begin()
    if (!this.isIngesting) return
    if (this.#jobWorkers.sharedSweep !== undefined) {
      await this.#storage.transaction(({ jobs }) => jobs.enqueue(SWEEP_JOB))
      this.#jobWorkers.sharedSweep.start()
      return
    }
    const { signal } = this.#stopping
    const sweep = async (): Promise<void> => {
      await enqueueMissingWords(this.#storage, signal)
      await this.#sweep.run(signal)
    }
    this.#swept = sweep().then(
      () => {
        this.wake()
      },
      (error: unknown) => {
        this.#telemetry.record({ name: 'ingestion.sweep.failed', level: 'error', error })
      },
    )
    this.#checked = this.#swept.then(async () => await this.#startCheck.run(signal))
  }

  async begin(): Promise<void> {
    this.#started ??= this.#startWorkers()
    await this.#started
  }

  /** An engine that repairs a data folder checks the database first: nothing may be written into a damaged database. */
  async #startIfUndamaged(): Promise<void> {
    const { signal } = this.#stopping
    try {
      const problems = await this.#storage.verify({ isThorough: true, signal })
      if (problems.length === 0 && !signal.aborted) await this.begin()
    } catch (error) {
      if (!signal.aborted) this.#telemetry.record({ name: 'doctor.check.failed', level: 'error', error })
    }
  }

  async #startWorkers(): Promise<void> {
    const [isRelaying, isIngesting] = [this.#roles.includes('relay'), this.isIngesting]
    if (isRelaying || isIngesting) {
      this.#stopWatching = this.#storage.watchJobs((kind) => {
        for (const worker of allWorkers(this.#jobWorkers)) if (worker.handles(kind)) worker.wake()
      })
    }
    if (isIngesting) await this.#sweep.prepare(this.#isAlone)
    if (isRelaying) {
      await this.#storage.transaction(({ jobs }) => jobs.enqueueAll([TRIM_DELIVERIES, TRIM_AUDIT]))
      this.#jobWorkers.mailing.start()
      this.#jobWorkers.relay.start()
    }
    if (!isIngesting) return
    this.#jobWorkers.ingestion.start()
    this.#jobWorkers.indexing.start()
    // The doctor repairs damaged words itself.
    if (this.#isSweeping) this.#mendWords.start(() => this.#jobWorkers.indexing.wake())
    this.#jobWorkers.reindexing.start()
    this.#jobWorkers.purging.start()
  }

  documentRenamed(): void {
    this.#jobWorkers.indexing.wake()
  }

  documentUploaded(): void {
    this.#jobWorkers.ingestion.wake()
  }

  versionsDeleted(versionIds: readonly number[]): void {
    for (const subject of versionIds) this.#jobWorkers.ingestion.abandon({ kind: INGEST_DOCUMENT, subject })
    this.#jobWorkers.purging.wake()
  }

  settingsChanged(): void {
    this.#jobWorkers.reindexing.wake()
  }

  purgeQueued(): void {
    this.#jobWorkers.purging.wake()
  }

  deliveriesQueued(): void {
    this.#jobWorkers.relay.wake()
  }

  deliveriesCancelled(ids: readonly number[]): void {
    for (const subject of ids) this.#jobWorkers.relay.abandon({ kind: DELIVER_EVENT, subject })
  }

  /** Counts the jobs that run here, for each kind that this engine knows. */
  runningJobs(): ReadonlyMap<string, number> {
    const counts = new Map(
      allWorkers(this.#jobWorkers)
        .flatMap(({ kinds }) => kinds)
        .map((kind) => [kind, 0]),
    )
    for (const kind of allWorkers(this.#jobWorkers).flatMap(({ runningKinds }) => runningKinds)) {
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
    }
    return counts
  }

  get roles(): readonly EngineRole[] {
    return this.#roles
  }

  get isIngesting(): boolean {
    return this.#roles.includes('ingest')
  }

  get isSweeping(): boolean {
    return this.#isSweeping && this.isIngesting && this.#jobWorkers.sharedSweep === undefined
  }

  async whenSwept(): Promise<void> {
    await this.#swept
  }

  wake(): void {
    this.#jobWorkers.ingestion.wake()
    this.#jobWorkers.indexing.wake()
    this.#jobWorkers.reindexing.wake()
    this.#jobWorkers.purging.wake()
  }

  /** Resolves once deleted data is removed from the disk, or a worker can remove no more for now. */
  async whenCleared(): Promise<Progress> {
    await this.#swept
    if (this.#started === undefined) return 'done'
    while (!this.#stopping.signal.aborted && (await this.#isRemovingGenerations())) {
      this.#jobWorkers.reindexing.wake()
      await pause(REMOVAL_POLL_MS)
    }
    const progress = await this.#jobWorkers.purging.whenIdle()
    // Aborted runs remove the data that they were writing for deleted documents.
    await Promise.all([this.#jobWorkers.ingestion.whenAbandoned(), this.#jobWorkers.indexing.whenAbandoned()])
    return progress
  }

  async #isRemovingGenerations(): Promise<boolean> {
    return await this.#storage.read(async (repositories) => {
      const waiting = await repositories.jobs.waiting([REINDEX_CONTEXT])
      for (const { lane } of waiting) if (await isRemovingGenerations(repositories, lane)) return true
      return false
    })
  }

  /** Stops all workers. Releases the jobs that do not finish in time. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#mendWords.stop()
    // Workers that start during the stop would not be stopped.
    await this.#started?.catch(() => undefined)
    const workers = allWorkers(this.#jobWorkers).map((worker) => worker.stop())
    await Promise.all([...workers, this.#stopWatching(), this.#swept, this.#checked])
  }
}
