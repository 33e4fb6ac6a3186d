import type { Container } from 'inversify'
import { TRIM_AUDIT, TrimAudit } from '../audit/index.js'
import { type RepairWorkers, StartCheck } from '../doctor/index.js'
import { enqueueMissingWords, INGEST_DOCUMENT, IndexContextWords, ProcessDocument } from '../documents/index.js'
import { JobWorker, type Progress } from '../jobs/index.js'
import {
  PurgeAccount,
  PurgeCompany,
  PurgeContext,
  PurgeDocument,
  SWEEP_JOB,
  Sweep,
  SweepInTurn,
} from '../maintenance/index.js'
import { DELIVER_EVENT, DeliverEvent, TRIM_DELIVERIES, TRIM_SUBJECT, TrimDeliveries } from '../outbox/index.js'
import type { Storage, Telemetry } from '../ports/index.js'
import { SendMail } from '../tenancy/index.js'
import type { EngineOptions, EngineRole } from './engine-options.js'
import type { WorkSignals } from './session.js'
import { STORAGE, TELEMETRY } from './tokens.js'

const INGESTION_CONCURRENCY = 4
/** Of all documents at a time, those of one context: a huge one, or a thousand, leave places for others. */
const INGESTION_SHARE_OF_CONTEXT = 0.5

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000]
/** Documents that may have ended processes wait so long in the life of the next ones; then they are given up. */
const INGESTION_QUIET_MS = [2 * SECOND, 5 * SECOND, 15 * SECOND, MINUTE]
const INGESTION_CLAIMS = 6

/** Then a context's words are tried again in an hour. */
const WORDS_MAX_FAILURES = 10

const MAIL_CONCURRENCY = 4
const MAIL_RETRY_DELAYS_MS = [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR]
/** A mail server that is away for two days loses no mail. */
const MAIL_MAX_FAILURES = 53

/** Attempts under way at a time, and of them to one destination: a slow one holds up no other. */
const RELAY_CONCURRENCY = 128
const RELAY_CONCURRENCY_PER_DESTINATION = 8
/** An attempt ends after 5 s at the latest; what a dead process held is taken up soon after. */
const RELAY_LEASE_MS = 10_000
/** Events that another process has recorded are seen well within a second. */
const RELAY_POLL_MS = 400
/** Passing faults of the engine itself, such as a database that is away; attempts are counted by the delivery. */
const RELAY_MAX_FAILURES = 10
/** An attempt under way may go to its end when the engine is closed, if that is soon. */
const RELAY_DRAIN_MS = 2_000
/** Where attempts end all the time, several are claimed at once; the first after a pause is claimed at once. */
const RELAY_CLAIM_INTERVAL_MS = 20
/** Receivers that hang look like crashes when a process dies with many attempts under way. */
const RELAY_CLAIMS_IN_COMPANY = 4

/** A sweep is due every hour: it is enough to look now and then who does it. */
const SWEEP_POLL_MS = MINUTE

/**
 * The workers of an engine: one for documents, one for the words of older ones, one that clears away, one for mails,
 * and the relay of events; and the sweep at their start, with a look whether all is well.
 */
export class Workers implements WorkSignals, RepairWorkers {
  readonly #ingestion: JobWorker
  readonly #indexing: JobWorker
  readonly #clearing: JobWorker
  readonly #mailing: JobWorker
  readonly #relay: JobWorker
  /** Where other processes work on the same storage. */
  readonly #sweeping: JobWorker | undefined
  readonly #storage: Storage
  readonly #sweep: Sweep
  readonly #startCheck: StartCheck
  readonly #isAlone: boolean
  readonly #isSweeping: boolean
  readonly #telemetry: Telemetry
  readonly #roles: readonly EngineRole[]
  readonly #stopping = new AbortController()
  #begun: Promise<void> | undefined
  #stopWatching: () => Promise<void> = () => Promise.resolve()
  #swept: Promise<void> = Promise.resolve()
  #checked: Promise<void> = Promise.resolve()

  constructor(container: Container, options: EngineOptions) {
    const storage = container.get(STORAGE)
    const telemetry = container.get(TELEMETRY)
    const { ingestionConcurrency = INGESTION_CONCURRENCY } = options
    this.#ingestion = new JobWorker(storage, telemetry, {
      handlers: [container.get(ProcessDocument)],
      concurrency: ingestionConcurrency,
      concurrencyPerLane: Math.ceil(ingestionConcurrency * INGESTION_SHARE_OF_CONTEXT),
      quietMs: INGESTION_QUIET_MS,
      maxClaims: INGESTION_CLAIMS,
    })
    // One context at a time: what is uploaded and searched comes first.
    this.#indexing = new JobWorker(storage, telemetry, {
      handlers: [container.get(IndexContextWords)],
      quietMs: INGESTION_QUIET_MS,
      maxFailures: WORDS_MAX_FAILURES,
    })
    this.#clearing = new JobWorker(storage, telemetry, {
      handlers: [
        container.get(PurgeDocument),
        container.get(PurgeContext),
        container.get(PurgeAccount),
        container.get(PurgeCompany),
      ],
      quietMs: INGESTION_QUIET_MS,
      // What was deleted is cleared away, however long that cannot be done.
      maxFailures: Infinity,
      // Each makes room first.
      isPausedByFullDisk: false,
    })
    this.#mailing = new JobWorker(storage, telemetry, {
      handlers: [container.get(SendMail)],
      concurrency: MAIL_CONCURRENCY,
      retryDelaysMs: MAIL_RETRY_DELAYS_MS,
      maxFailures: MAIL_MAX_FAILURES,
    })
    this.#relay = new JobWorker(storage, telemetry, {
      handlers: [container.get(DeliverEvent), container.get(TrimDeliveries), container.get(TrimAudit)],
      concurrency: RELAY_CONCURRENCY,
      concurrencyPerLane: RELAY_CONCURRENCY_PER_DESTINATION,
      leaseMs: RELAY_LEASE_MS,
      pollMs: RELAY_POLL_MS,
      maxFailures: RELAY_MAX_FAILURES,
      maxClaimsInCompany: RELAY_CLAIMS_IN_COMPANY,
      drainMs: RELAY_DRAIN_MS,
      claimIntervalMs: RELAY_CLAIM_INTERVAL_MS,
      isGrouped: true,
    })
    this.#sweeping =
      options.isShared === true
        ? new JobWorker(storage, telemetry, { handlers: [container.get(SweepInTurn)], pollMs: SWEEP_POLL_MS })
        : undefined
    this.#storage = storage
    this.#roles = options.roles ?? ['ingest', 'relay']
    this.#sweep = container.get(Sweep)
    this.#startCheck = container.get(StartCheck)
    this.#isAlone = options.isAlone ?? false
    this.#isSweeping = options.isSweeping ?? true
    this.#telemetry = telemetry
  }

  /** Ready at once; the sweep goes on in the background. Without one, work waits until the database is known to be sound. */
  async start(): Promise<void> {
    if (!this.#isSweeping) {
      this.#swept = this.#beginIfSound()
      return
    }
    await this.begin()
    if (!this.isIngesting) return
    if (this.#sweeping !== undefined) {
      await this.#storage.transaction(({ jobs }) => jobs.enqueue(SWEEP_JOB))
      this.#sweeping.start()
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
    this.#begun ??= this.#begin()
    await this.#begun
  }

  /** Whoever opens a folder to repair it looks first: nothing is written into a database that is damaged. */
  async #beginIfSound(): Promise<void> {
    const { signal } = this.#stopping
    try {
      const problems = await this.#storage.verify({ isThorough: true, signal })
      if (problems.length === 0 && !signal.aborted) await this.begin()
    } catch (error) {
      if (!signal.aborted) this.#telemetry.record({ name: 'doctor.check.failed', level: 'error', error })
    }
  }

  async #begin(): Promise<void> {
    const [isRelay, isIngest] = [this.#roles.includes('relay'), this.#roles.includes('ingest')]
    if (isRelay || isIngest) {
      this.#stopWatching = this.#storage.watchJobs((kind) => {
        for (const worker of this.#workers) if (worker.handles(kind)) worker.wake()
      })
    }
    if (isIngest) await this.#sweep.prepare(this.#isAlone)
    if (isRelay) {
      const trim = { kind: TRIM_DELIVERIES, subject: TRIM_SUBJECT }
      await this.#storage.transaction(({ jobs }) => jobs.enqueueAll([trim, TRIM_AUDIT]))
      this.#mailing.start()
      this.#relay.start()
    }
    if (!isIngest) return
    this.#ingestion.start()
    this.#indexing.start()
    this.#clearing.start()
  }

  documentUploaded(): void {
    this.#ingestion.wake()
  }

  documentDeleted(documentId: number): void {
    this.#ingestion.abandon({ kind: INGEST_DOCUMENT, subject: documentId })
    this.#clearing.wake()
  }

  contextDeleted(): void {
    this.#clearing.wake()
  }

  deliveriesQueued(): void {
    this.#relay.wake()
  }

  deliveriesCancelled(ids: readonly number[]): void {
    for (const subject of ids) this.#relay.abandon({ kind: DELIVER_EVENT, subject })
  }

  get #workers(): readonly JobWorker[] {
    const own = [this.#ingestion, this.#indexing, this.#clearing, this.#mailing, this.#relay]
    return this.#sweeping === undefined ? own : [...own, this.#sweeping]
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
    this.#clearing.wake()
  }

  /** Resolves once what was deleted is gone from the disk. */
  async whenCleared(): Promise<Progress> {
    await this.#swept
    if (this.#begun === undefined) return 'done'
    const progress = await this.#clearing.whenIdle()
    // What was being written of it is removed by whoever wrote it.
    await Promise.all([this.#ingestion.whenAbandoned(), this.#indexing.whenAbandoned()])
    return progress
  }

  /** Gives back what is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    // What begins now would not be stopped.
    await this.#begun?.catch(() => undefined)
    const workers = this.#workers.map((worker) => worker.stop())
    await Promise.all([...workers, this.#stopWatching(), this.#swept, this.#checked])
  }
}
