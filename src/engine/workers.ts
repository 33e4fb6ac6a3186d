import { TRIM_AUDIT } from '../audit/index.js'
import { isRemovingGenerations, REINDEX_CONTEXT } from '../contexts/index.js'
import type { RepairWorkers, StartCheck } from '../doctor/index.js'
import { enqueueMissingWords, INGEST_DOCUMENT } from '../documents/index.js'
import { JobWorker, type Progress } from '../jobs/index.js'
import { pause } from '../kernel/scheduling/abort.js'
import { SWEEP_JOB, type Sweep } from '../maintenance/index.js'
import { DELIVER_EVENT, TRIM_DELIVERIES } from '../outbox/index.js'
import type { Storage, Telemetry } from '../ports/index.js'
import type { EngineOptions, EngineRole } from './engine-options.js'
import type { EngineParts } from './engine-parts.js'
import type { WorkSignals } from './operations/operations.js'

const INGESTION_CONCURRENCY = 4
/**
 * Maximum share of the concurrent documents for one context, so that one with many documents leaves room for others.
 */
const INGESTION_SHARE_OF_CONTEXT = 0.5

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000]
/**
 * Delays from the start of a process until it runs a poison job, such as a document that may have crashed earlier
 * processes. The delay grows with each crash. After {@link INGESTION_CLAIMS} claims the document fails.
 */
const POISON_START_DELAYS_MS = [2 * SECOND, 5 * SECOND, 15 * SECOND, MINUTE]
const INGESTION_CLAIMS = 6

/** Contexts that are re-indexed at a time. Each waits for the worker of documents most of the time. */
const REINDEXING_CONCURRENCY = 4

/** Failures after which the next try to index the words of a context waits for an hour. */
const WORDS_MAX_FAILURES = 10

const MAIL_CONCURRENCY = 4
const MAIL_RETRY_DELAYS_MS = [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR]
/** With the retry delays, a mail server can be unavailable for two days without the loss of a mail. */
const MAIL_MAX_FAILURES = 53

/**
 * Maximum number of concurrent attempts, in total and to one destination, so that a slow destination delays no other.
 */
const RELAY_CONCURRENCY = 128
const RELAY_CONCURRENCY_PER_DESTINATION = 8
/** An attempt takes at most 5 s, so another process can soon claim the attempts of a crashed process. */
const RELAY_LEASE_MS = 10_000
/** The relay finds events of other processes well within a second. */
const RELAY_POLL_MS = 400
/**
 * Transient failures of the engine itself, such as an unavailable database. The delivery counts its attempts
 * separately.
 */
const RELAY_MAX_FAILURES = 10
/** Time that attempts in progress have to finish when the engine closes. */
const RELAY_DRAIN_MS = 2_000
/**
 * Minimum interval between two claims under load, so that one claim takes several jobs. The first claim after a pause
 * is immediate.
 */
const RELAY_CLAIM_INTERVAL_MS = 20
/**
 * Claims without progress after which an attempt counts as a poison job. Higher than the default, because a process
 * that is killed while many receivers hang interrupts many attempts, which did not cause the crash.
 */
const RELAY_SHARED_CLAIMS = 4

/** A sweep is due every hour, so a slow poll is enough. */
const SWEEP_POLL_MS = MINUTE

/** Interval of the reads of a wait for the removal of former generations. */
const REMOVAL_POLL_MS = 20

/**
 * The workers of an engine, for: documents, words of older documents, re-indexes, purging, mails, and the relay of events. Also
 * runs the sweep at the start, and the check after it.
 */
export class Workers implements WorkSignals, RepairWorkers {
  readonly #ingestion: JobWorker
  readonly #indexing: JobWorker
  readonly #reindexing: JobWorker
  readonly #purging: JobWorker
  readonly #mailing: JobWorker
  readonly #relay: JobWorker
  /** The worker of hourly sweeps. Only for an engine whose storage other engines share. */
  readonly #sharedSweep: JobWorker | undefined
  readonly #storage: Storage
  readonly #sweep: Sweep
  readonly #startCheck: StartCheck
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
    const storage = parts.storage
    const telemetry = parts.telemetry
    const { ingestionConcurrency = INGESTION_CONCURRENCY } = options
    this.#ingestion = new JobWorker(storage, telemetry, {
      handlers: [parts.processDocument],
      concurrency: ingestionConcurrency,
      concurrencyPerLane: Math.ceil(ingestionConcurrency * INGESTION_SHARE_OF_CONTEXT),
      poisonStartDelaysMs: POISON_START_DELAYS_MS,
      maxClaims: INGESTION_CLAIMS,
    })
    // One context at a time: uploads and searches have priority.
    this.#indexing = new JobWorker(storage, telemetry, {
      handlers: [parts.indexContextWords],
      poisonStartDelaysMs: POISON_START_DELAYS_MS,
      maxFailures: WORDS_MAX_FAILURES,
    })
    this.#reindexing = new JobWorker(storage, telemetry, {
      handlers: [parts.reindexContext],
      concurrency: REINDEXING_CONCURRENCY,
      poisonStartDelaysMs: POISON_START_DELAYS_MS,
    })
    parts.reindexContext.onJobsChanged = (abandonedIds = []) => {
      for (const subject of abandonedIds) this.#ingestion.abandon({ kind: INGEST_DOCUMENT, subject })
      this.#ingestion.wake()
      this.#reindexing.wake()
      this.#purging.wake()
    }
    parts.processDocument.onDeliveriesQueued = () => this.#relay.wake()
    this.#purging = new JobWorker(storage, telemetry, {
      handlers: [parts.purgeDocument, parts.purgeContext, parts.purgeAccount, parts.purgeCompany],
      poisonStartDelaysMs: POISON_START_DELAYS_MS,
      // Deleted data must be removed in the end, however often that fails.
      maxFailures: Infinity,
      // A purge frees disk space.
      isPausedByFullDisk: false,
    })
    this.#mailing = new JobWorker(storage, telemetry, {
      handlers: [parts.sendMail],
      concurrency: MAIL_CONCURRENCY,
      retryDelaysMs: MAIL_RETRY_DELAYS_MS,
      maxFailures: MAIL_MAX_FAILURES,
    })
    this.#relay = new JobWorker(storage, telemetry, {
      handlers: [parts.deliverEvent, parts.trimDeliveries, parts.trimAudit],
      concurrency: RELAY_CONCURRENCY,
      concurrencyPerLane: RELAY_CONCURRENCY_PER_DESTINATION,
      leaseMs: RELAY_LEASE_MS,
      pollMs: RELAY_POLL_MS,
      maxFailures: RELAY_MAX_FAILURES,
      maxSharedClaims: RELAY_SHARED_CLAIMS,
      drainMs: RELAY_DRAIN_MS,
      claimIntervalMs: RELAY_CLAIM_INTERVAL_MS,
      isBatched: true,
    })
    this.#sharedSweep =
      options.isShared === true
        ? new JobWorker(storage, telemetry, { handlers: [parts.sweepInTurn], pollMs: SWEEP_POLL_MS })
        : undefined
    this.#storage = storage
    this.#roles = options.roles ?? ['ingest', 'relay']
    this.#sweep = parts.sweep
    this.#startCheck = parts.startCheck
    this.#isAlone = options.isAlone ?? false
    this.#isSweeping = options.isSweeping ?? true
    this.#telemetry = telemetry
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
    if (this.#sharedSweep !== undefined) {
      await this.#storage.transaction(({ jobs }) => jobs.enqueue(SWEEP_JOB))
      this.#sharedSweep.start()
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
        for (const worker of this.#workers) if (worker.handles(kind)) worker.wake()
      })
    }
    if (isIngesting) await this.#sweep.prepare(this.#isAlone)
    if (isRelaying) {
      await this.#storage.transaction(({ jobs }) => jobs.enqueueAll([TRIM_DELIVERIES, TRIM_AUDIT]))
      this.#mailing.start()
      this.#relay.start()
    }
    if (!isIngesting) return
    this.#ingestion.start()
    this.#indexing.start()
    this.#reindexing.start()
    this.#purging.start()
  }

  documentUploaded(): void {
    this.#ingestion.wake()
  }

  versionsDeleted(versionIds: readonly number[]): void {
    for (const subject of versionIds) this.#ingestion.abandon({ kind: INGEST_DOCUMENT, subject })
    this.#purging.wake()
  }

  settingsChanged(): void {
    this.#reindexing.wake()
  }

  purgeQueued(): void {
    this.#purging.wake()
  }

  deliveriesQueued(): void {
    this.#relay.wake()
  }

  deliveriesCancelled(ids: readonly number[]): void {
    for (const subject of ids) this.#relay.abandon({ kind: DELIVER_EVENT, subject })
  }

  get #workers(): readonly JobWorker[] {
    const workers = [this.#ingestion, this.#indexing, this.#reindexing, this.#purging, this.#mailing, this.#relay]
    return this.#sharedSweep === undefined ? workers : [...workers, this.#sharedSweep]
  }

  /** Counts the jobs that run here, for each kind that this engine knows. */
  runningJobs(): ReadonlyMap<string, number> {
    const counts = new Map(this.#workers.flatMap(({ kinds }) => kinds).map((kind) => [kind, 0]))
    for (const kind of this.#workers.flatMap(({ runningKinds }) => runningKinds)) {
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

  async whenSwept(): Promise<void> {
    await this.#swept
  }

  wake(): void {
    this.#ingestion.wake()
    this.#indexing.wake()
    this.#reindexing.wake()
    this.#purging.wake()
  }

  /** Resolves once deleted data is removed from the disk, or a worker can remove no more for now. */
  async whenCleared(): Promise<Progress> {
    await this.#swept
    if (this.#started === undefined) return 'done'
    while (!this.#stopping.signal.aborted && (await this.#isRemovingGenerations())) {
      this.#reindexing.wake()
      await pause(REMOVAL_POLL_MS)
    }
    const progress = await this.#purging.whenIdle()
    // Aborted runs remove the data that they were writing for deleted documents.
    await Promise.all([this.#ingestion.whenAbandoned(), this.#indexing.whenAbandoned()])
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
    // Workers that start during the stop would not be stopped.
    await this.#started?.catch(() => undefined)
    const workers = this.#workers.map((worker) => worker.stop())
    await Promise.all([...workers, this.#stopWatching(), this.#swept, this.#checked])
  }
}
