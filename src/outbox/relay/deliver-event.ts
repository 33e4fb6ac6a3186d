import { batched, type JobHandler, type JobRun } from '../../jobs/index.js'
import { Batcher } from '../../kernel/batcher.js'
import { AlcoveError, PayloadCorruptError, StorageError, StorageFullError } from '../../kernel/errors.js'
import { sha256Hex } from '../../kernel/random.js'
import { type RetryOptions, retry } from '../../kernel/retry.js'
import type { SecretBox } from '../../kernel/secret-box.js'
import type {
  Clock,
  DeliveryRecord,
  HttpPost,
  HttpTransport,
  Repositories,
  SendableDelivery,
  Storage,
  Telemetry,
} from '../../ports/index.js'
import { EVENT_HEADER, SIGNATURE_HEADER, signBody } from '../../webhooks/index.js'
import { DELIVER_EVENT } from '../event.js'
import { finishAttempts, startAttempts } from './attempt-log.js'
import { type Settlement, settleAttempt } from './settle-attempt.js'

const CANCELLED = 'the destination was deleted, or its company is disabled'

/** Retries of the record of an outcome. They last less than a lease: then another relay may hold the delivery. */
const RECORD_BACKOFF: RetryOptions['backoff'] = { firstMs: 50, longestMs: 1_000, patienceMs: 8_000 }

/** A delivery with its signed request. */
interface PreparedDelivery extends Pick<SendableDelivery, 'delivery' | 'destination'> {
  readonly post: HttpPost
}

/** A delivery whose attempt is recorded as started, so that its request may be sent. */
interface StartedDelivery extends PreparedDelivery {
  readonly attemptId: number
}

/**
 * Makes one attempt at a delivery: signs the stored bytes with the destination's present secret, records the start of
 * the attempt, sends the request, and records the outcome. An attempt that a crash leaves unfinished becomes
 * `interrupted`, and the delivery is sent a second time.
 */
export class DeliverEvent implements JobHandler {
  readonly kind: string = DELIVER_EVENT
  readonly #clock: Clock
  readonly #transport: HttpTransport
  readonly #secretBox: SecretBox
  readonly #telemetry: Telemetry
  /** One read for the deliveries that start at about the same time. */
  readonly #sendable: Batcher<number, SendableDelivery | undefined>

  constructor(storage: Storage, clock: Clock, transport: HttpTransport, secretBox: SecretBox, telemetry: Telemetry) {
    this.#clock = clock
    this.#transport = transport
    this.#secretBox = secretBox
    this.#telemetry = telemetry
    this.#sendable = new Batcher(async (ids) => {
      const sendable = await storage.read(({ deliveries }) => deliveries.getSendable(ids))
      return ids.map((id) => sendable.get(id))
    })
  }

  async run(job: JobRun): Promise<void> {
    const started = await this.#start(job)
    if (started === undefined) {
      const cancellation = { error: CANCELLED, updated: this.#now() }
      await job.complete(({ deliveries }) => deliveries.cancelAll([job.subject], cancellation))
      return
    }
    const { delivery, post, attemptId } = started
    const sentAt = performance.now()
    const outcome = await this.#transport.post(post, { signal: job.signal })
    const durationMs = Math.round(performance.now() - sentAt)
    const settlement = settleAttempt(outcome, delivery.attemptCount + 1, Math.random())
    const responseBody = outcome.kind === 'response' ? responseText(outcome.body) : null
    const { retryInMs } = settlement
    const recordOutcome = async (): Promise<void> => {
      const attempt = { attemptId, delivery, settlement, responseBody, durationMs, finishedAt: this.#now() }
      const work = batched(finishAttempts, attempt)
      await (retryInMs === undefined ? job.complete(work) : job.postpone(work, retryInMs))
    }
    // A delivery without a recorded outcome must be sent a second time. So wait for a database that is unavailable.
    await retry(recordOutcome, { backoff: RECORD_BACKOFF, isTransient: isStorageUnavailable, signal: job.signal })
    this.#reportAttempt(delivery, settlement, durationMs)
  }

  /** Records a delivery that cannot be sent: its bytes or its secret are damaged, or it crashes every process. */
  async fail({ deliveries }: Repositories, subject: number, error: unknown): Promise<void> {
    const problem =
      error instanceof AlcoveError ? `${error.message} (${error.code})` : 'an internal failure (ERR_INTERNAL)'
    await deliveries.interruptAttempts([subject])
    await deliveries.update(subject, { status: 'dead', error: problem, updated: this.#now() })
  }

  /** @returns `undefined` where the destination was deleted, or its company is disabled or deleted */
  async #start(job: JobRun): Promise<StartedDelivery | undefined> {
    for (;;) {
      const prepared = await this.#prepare(job.subject)
      if (prepared === undefined) return undefined
      const attemptId = await job.transaction(batched(startAttempts, { ...prepared, startedAt: this.#now() }))
      if (attemptId !== undefined) return { ...prepared, attemptId }
      // The URL or the secret has changed since it was read: prepare the request with the new one.
      job.signal.throwIfAborted()
    }
  }

  async #prepare(id: number): Promise<PreparedDelivery | undefined> {
    const sendable = await this.#sendable.run(id)
    if (sendable === undefined) return undefined
    const { delivery, destination, event } = sendable
    const body = event.payload
    if ((await sha256Hex(body)) !== event.payloadHash) {
      throw new PayloadCorruptError(`the stored bytes of the event ${delivery.eventId} are damaged`)
    }
    const secret = await this.#secretBox.open(destination.sealedSecret)
    const headers = {
      'content-type': 'application/json',
      [EVENT_HEADER]: delivery.type,
      [SIGNATURE_HEADER]: await signBody(body, secret),
    }
    return { delivery, destination, post: { url: destination.url, headers, body } }
  }

  #reportAttempt({ id, destinationId, type }: DeliveryRecord, settlement: Settlement, durationMs: number): void {
    const { outcome, httpStatus, status, error } = settlement
    this.#telemetry.record({
      name: 'outbox.attempt',
      level: outcome === 'success' ? 'info' : 'warn',
      fields: { deliveryId: id, destinationId, type, outcome, httpStatus, status, problem: error },
      durationMs,
    })
  }

  #now(): string {
    return this.#clock.now().toISOString()
  }
}

function isStorageUnavailable(error: unknown): boolean {
  return (error instanceof StorageError && error.isTransient) || error instanceof StorageFullError
}

/**
 * The beginning of a response body for the delivery log. It is decoded as UTF-8 in any case. Control characters are
 * replaced, because stores and terminals must not get them.
 */
function responseText(body: Uint8Array): string {
  return new TextDecoder().decode(body).replaceAll(/[^\P{Cc}\n\r\t]/gu, '\uFFFD')
}
