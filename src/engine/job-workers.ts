import { JobWorker } from '../jobs/index.js'
import type { EngineOptions } from './engine-options.js'
import type { EngineParts } from './engine-parts.js'

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

/** Deletions at a time. Each waits for the disk most of the time, so several leave room for searches. */
const PURGING_CONCURRENCY = 4

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

/** The worker of each kind of job. */
export interface JobWorkers {
  /** Processes documents. */
  readonly ingestion: JobWorker
  /** Indexes the words of older documents. */
  readonly indexing: JobWorker
  /** Re-indexes contexts whose settings changed. */
  readonly reindexing: JobWorker
  /** Removes deleted data. */
  readonly purging: JobWorker
  /** Sends mails. */
  readonly mailing: JobWorker
  /** Sends events to destinations, and trims the logs. */
  readonly relay: JobWorker
  /** Sweeps every hour. Only for an engine whose storage other engines share. */
  readonly sharedSweep: JobWorker | undefined
}

/** Creates the workers of an engine. None is started. */
export function createJobWorkers(parts: EngineParts, options: EngineOptions): JobWorkers {
  const { storage, telemetry } = parts
  const { ingestionConcurrency = INGESTION_CONCURRENCY } = options
  const ingestion = new JobWorker(storage, telemetry, {
    handlers: [parts.processDocument],
    unwritableDisk: parts.unwritableDisk,
    concurrency: ingestionConcurrency,
    // One company may fill all other places with files that take minutes.
    newcomerPlaces: 1,
    concurrencyPerLane: Math.ceil(ingestionConcurrency * INGESTION_SHARE_OF_CONTEXT),
    poisonStartDelaysMs: POISON_START_DELAYS_MS,
    maxClaims: INGESTION_CLAIMS,
  })
  // One context at a time: uploads and searches have priority.
  const indexing = new JobWorker(storage, telemetry, {
    handlers: [parts.indexName, parts.indexContextWords, parts.mendWords],
    poisonStartDelaysMs: POISON_START_DELAYS_MS,
    maxFailures: WORDS_MAX_FAILURES,
  })
  const reindexing = new JobWorker(storage, telemetry, {
    handlers: [parts.reindexContext],
    unwritableDisk: parts.unwritableDisk,
    concurrency: REINDEXING_CONCURRENCY,
    poisonStartDelaysMs: POISON_START_DELAYS_MS,
  })
  const purging = new JobWorker(storage, telemetry, {
    handlers: [parts.purgeDocument, parts.purgeContext, parts.purgeAccount, parts.purgeCompany],
    concurrency: PURGING_CONCURRENCY,
    isBatched: true,
    poisonStartDelaysMs: POISON_START_DELAYS_MS,
    // Deleted data must be removed in the end, however often that fails.
    maxFailures: Infinity,
    // A purge frees disk space.
    isPausedByFullDisk: false,
  })
  const mailing = new JobWorker(storage, telemetry, {
    handlers: [parts.sendMail],
    concurrency: MAIL_CONCURRENCY,
    retryDelaysMs: MAIL_RETRY_DELAYS_MS,
    maxFailures: MAIL_MAX_FAILURES,
  })
  const relay = new JobWorker(storage, telemetry, {
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
  const sharedSweep =
    options.isShared === true
      ? new JobWorker(storage, telemetry, { handlers: [parts.sweepInTurn], pollMs: SWEEP_POLL_MS })
      : undefined
  return { ingestion, indexing, reindexing, purging, mailing, relay, sharedSweep }
}

/** @returns all workers, in the order of {@link JobWorkers} */
export function allWorkers(workers: JobWorkers): readonly JobWorker[] {
  return Object.values(workers).filter((worker): worker is JobWorker => worker !== undefined)
}
