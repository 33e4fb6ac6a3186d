import type { Container } from 'inversify'
import { INGEST_DOCUMENT, ProcessDocument, PurgeContext, PurgeDocument, Sweep } from '../ingestion/index.js'
import { JobWorker } from '../jobs/index.js'
import type { Telemetry } from '../ports/index.js'
import { SendMail } from '../tenancy-authorization/index.js'
import type { EngineOptions, EngineRole } from './engine-options.js'
import type { WorkSignals } from './session.js'
import { STORAGE, TELEMETRY } from './tokens.js'

const INGESTION_CONCURRENCY = 2

const MAIL_CONCURRENCY = 4
const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000]
const MAIL_RETRY_DELAYS_MS = [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR]
/** A mail server that is away for two days loses no mail. */
const MAIL_MAX_FAILURES = 53

/** The workers of an engine: one for documents, one that clears away, one for mails; and the sweep at their start. */
export class Workers implements WorkSignals {
  readonly #ingestion: JobWorker
  readonly #clearing: JobWorker
  readonly #mailing: JobWorker
  readonly #sweep: Sweep
  readonly #isAlone: boolean
  readonly #telemetry: Telemetry
  readonly #roles: readonly EngineRole[]
  readonly #stopping = new AbortController()
  #swept: Promise<unknown> = Promise.resolve()

  constructor(container: Container, options: EngineOptions) {
    const storage = container.get(STORAGE)
    const telemetry = container.get(TELEMETRY)
    this.#ingestion = new JobWorker(storage, telemetry, {
      handlers: [container.get(ProcessDocument)],
      concurrency: options.ingestionConcurrency ?? INGESTION_CONCURRENCY,
    })
    this.#clearing = new JobWorker(storage, telemetry, {
      handlers: [container.get(PurgeDocument), container.get(PurgeContext)],
    })
    this.#mailing = new JobWorker(storage, telemetry, {
      handlers: [container.get(SendMail)],
      concurrency: MAIL_CONCURRENCY,
      retryDelaysMs: MAIL_RETRY_DELAYS_MS,
      maxFailures: MAIL_MAX_FAILURES,
    })
    this.#roles = options.roles ?? ['ingest', 'relay']
    this.#sweep = container.get(Sweep)
    this.#isAlone = options.isAlone ?? false
    this.#telemetry = telemetry
  }

  /** Ready at once; the sweep goes on in the background. */
  async start(): Promise<void> {
    if (this.#roles.includes('relay')) this.#mailing.start()
    if (!this.#roles.includes('ingest')) return
    await this.#sweep.prepare(this.#isAlone)
    this.#ingestion.start()
    this.#clearing.start()
    this.#swept = this.#sweep.run(this.#stopping.signal).then(
      () => {
        this.documentUploaded()
        this.contextDeleted()
      },
      (error: unknown) => {
        this.#telemetry.record({ name: 'ingestion.sweep.failed', level: 'error', error })
      },
    )
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

  /** Resolves once what was deleted is gone from the disk. */
  async whenCleared(): Promise<void> {
    await this.#swept
    await this.#clearing.whenIdle()
  }

  /** Gives back what is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([this.#ingestion.stop(), this.#clearing.stop(), this.#mailing.stop(), this.#swept])
  }
}
