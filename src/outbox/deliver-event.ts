import { batched, type JobHandler, type JobRun } from '../jobs/index.js'
import { Batcher } from '../kernel/batches.js'
import { type SecretBox, sha256Hex } from '../kernel/crypto.js'
import { AlcoveError, PayloadCorruptError, StorageError, StorageFullError } from '../kernel/errors.js'
import { type RetryOptions, retry } from '../kernel/retry.js'
import type {
  AttemptOutcome,
  Clock,
  DeliveryRecord,
  DeliveryStatus,
  HttpOutcome,
  HttpPost,
  HttpTransport,
  Repositories,
  SendableDelivery,
  Storage,
  Telemetry,
} from '../ports/index.js'
import { EVENT_HEADER, SIGNATURE_HEADER, signBody } from '../webhooks/index.js'
import { DELIVER_EVENT } from './event.js'

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

/** Attempts of a delivery. Specification: Delivery rules, 3. */
const MAX_ATTEMPTS = 3

/** Pauses before the second and the third attempt. */
const RETRY_DELAYS_MS = [500, 2_000]

/** Largest random change of a pause, as a fraction. It spreads retries over time. */
const JITTER = 0.15

/** The effect of an attempt on its delivery. */
interface Settlement {
  readonly outcome: AttemptOutcome
  readonly httpStatus: number | null
  /** Null after a success. */
  readonly error: string | null
  readonly status: DeliveryStatus
  /** Milliseconds until the next attempt; `undefined` where this attempt is the last one. */
  readonly retryInMs: number | undefined
}

/**
 * Decides the effect of an attempt: 2xx is a success. Connection errors, timeouts and 5xx are retried. Any other outcome
 * is final, also 3xx and `blocked`: a retry would give the same result. Specification: Delivery rules.
 *
 * @param attempts number of recorded attempts, including this one
 * @param random from 0 to 1, for the jitter
 */
function settleAttempt(outcome: HttpOutcome, attempts: number, random: number): Settlement {
  const { isTransient, ...result } = attemptResultOf(outcome)
  if (result.outcome === 'success') return { ...result, status: 'succeeded', retryInMs: undefined }
  const delayMs = RETRY_DELAYS_MS[attempts - 1]
  if (isTransient && attempts < MAX_ATTEMPTS && delayMs !== undefined) {
    const retryInMs = Math.round(delayMs * (1 - JITTER + 2 * JITTER * random))
    return { ...result, status: 'pending', retryInMs }
  }
  return { ...result, status: result.outcome === 'blocked' ? 'blocked' : 'failed', retryInMs: undefined }
}

type AttemptResult = Pick<Settlement, 'outcome' | 'httpStatus' | 'error'> & { readonly isTransient: boolean }

function attemptResultOf(outcome: HttpOutcome): AttemptResult {
  if (outcome.kind !== 'response') {
    return { outcome: outcome.kind, httpStatus: null, error: outcome.error, isTransient: outcome.kind !== 'blocked' }
  }
  const { httpStatus } = outcome
  if (httpStatus >= 200 && httpStatus < 300) return { outcome: 'success', httpStatus, error: null, isTransient: false }
  const isRedirect = httpStatus >= 300 && httpStatus < 400
  const error = `the destination answered ${httpStatus}${isRedirect ? '; redirects are not followed' : ''}`
  return { outcome: 'http_error', httpStatus, error, isTransient: httpStatus >= 500 && httpStatus < 600 }
}

/**
 * The beginning of a response body for the delivery log. It is decoded as UTF-8 in any case. Control characters are
 * replaced, because stores and terminals must not get them.
 */
function responseText(body: Uint8Array): string {
  return new TextDecoder().decode(body).replaceAll(/[^\P{Cc}\n\r\t]/gu, '\uFFFD')
}

interface StartedAttempt extends Pick<SendableDelivery, 'delivery' | 'destination'> {
  /** ISO 8601. */
  readonly startedAt: string
}

/**
 * Records the start of a batch of attempts. An earlier attempt of the same delivery that a crash left unfinished becomes
 * `interrupted`.
 *
 * @returns the ids of the attempts; `undefined` for a delivery whose destination has changed since it was read
 */
async function startAttempts(
  { deliveries }: Repositories,
  attempts: readonly StartedAttempt[],
): Promise<readonly (number | undefined)[]> {
  const crashed = attempts.filter(({ delivery }) => delivery.status === 'delivering').map(({ delivery }) => delivery.id)
  if (crashed.length > 0) await deliveries.interruptAttempts(crashed)
  const ids = await deliveries.insertAttempts(
    attempts.map(({ delivery, destination, startedAt }) => {
      return { deliveryId: delivery.id, started: startedAt, destination }
    }),
  )
  await deliveries.updateAll(
    attempts
      .filter(({ delivery }) => ids.has(delivery.id))
      .map(({ delivery, startedAt }) => ({ ...delivery, status: 'delivering', updated: startedAt })),
  )
  return attempts.map(({ delivery }) => ids.get(delivery.id))
}

interface FinishedAttempt {
  readonly attemptId: number
  readonly delivery: DeliveryRecord
  readonly settlement: Settlement
  readonly responseBody: string | null
  readonly durationMs: number
  /** ISO 8601. */
  readonly finishedAt: string
}

/** Records the outcomes of a batch of attempts. */
async function finishAttempts(
  { deliveries }: Repositories,
  attempts: readonly FinishedAttempt[],
): Promise<readonly undefined[]> {
  await deliveries.endAttempts(
    attempts.map(({ attemptId, settlement: { outcome, httpStatus, error }, responseBody, durationMs }) => {
      return { id: attemptId, outcome, httpStatus, error, responseBody, durationMs }
    }),
  )
  await deliveries.updateAll(
    attempts.map(({ delivery: { id, attemptCount }, settlement: { status, httpStatus, error }, finishedAt }) => {
      return { id, status, httpStatus, attemptCount: attemptCount + 1, error, updated: finishedAt }
    }),
  )
  return attempts.map(() => undefined)
}

function isStorageUnavailable(error: unknown): boolean {
  return (error instanceof StorageError && error.isTransient) || error instanceof StorageFullError
}
