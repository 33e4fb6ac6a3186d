import { batched, type JobHandler, type JobRun } from '../jobs/index.js'
import { Batcher } from '../kernel/batches.js'
import { type SecretBox, sha256Hex } from '../kernel/crypto.js'
import { AlcoveError, DiskUnwritableError, errorReason, PayloadCorruptError, StorageError } from '../kernel/errors.js'
import { type RetryOptions, retry } from '../kernel/scheduling/retry.js'
import type {
  Cancellation,
  Clock,
  DeliveryRecord,
  HttpPost,
  HttpTransport,
  Repositories,
  SendableDelivery,
  Span,
  Storage,
  Telemetry,
} from '../ports/index.js'
import { isPreviousSecretUsed } from './destinations/destination.js'
import type { AttemptReport, DestinationFailures } from './destinations/destination-failures.js'
import { DELIVER_EVENT } from './event.js'
import { isBuiltIn } from './host-event-types.js'
import { maySeePrivate, withoutNames } from './private-events.js'
import { requestHeaders } from './request-headers.js'
import { type Settlement, settleAttempt } from './settlement.js'

/** Why a delivery is not sent. */
type Obstacle = Pick<Cancellation, 'error' | 'reason'>

const CANCELLED: Obstacle = {
  error: 'the destination was deleted or is disabled, or its company is disabled',
  reason: errorReason('destination-not-usable'),
}

const PRIVATE: Obstacle = {
  error:
    'the event names a document of a private context, and whoever set the URL of the destination does not see all contexts',
  reason: errorReason('event-private'),
}

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
 * Makes one attempt at a delivery: signs the stored bytes as the destination asks, records the start of
 * the attempt, sends the request, and records the outcome. An attempt that a crash leaves unfinished becomes
 * `interrupted`, and the delivery is sent a second time.
 */
export class DeliverEvent implements JobHandler {
  readonly kind: string = DELIVER_EVENT
  readonly spanName = 'alcove.deliver'
  readonly #secretBox: SecretBox
  readonly #sendsTraceparent: boolean
  /** One read for the deliveries that start at about the same time. */
  readonly #sendable: Batcher<number, SendableDelivery | undefined>

  /** @param options.sendsTraceparent true to send the header `traceparent`. Default: false */
  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly transport: HttpTransport,
    secretBox: SecretBox,
    private readonly telemetry: Telemetry,
    private readonly failures: DestinationFailures,
    { sendsTraceparent = false }: { readonly sendsTraceparent?: boolean | undefined } = {},
  ) {
    this.#sendsTraceparent = sendsTraceparent
    this.#secretBox = secretBox
    this.#sendable = new Batcher(async (ids) => {
      const sendable = await storage.read(({ deliveries }) => deliveries.getSendable(ids))
      return ids.map((id) => sendable.get(id))
    })
  }

  async run(job: JobRun, span: Span): Promise<void> {
    const started = await this.#start(job)
    if ('error' in started) {
      const cancellation = { ...started, updated: this.#now() }
      await job.complete(({ deliveries }) => deliveries.cancelAll([job.subject], cancellation))
      return
    }
    const { delivery, destination, attemptId } = started
    span.set({ 'alcove.destination.id': delivery.destinationId, 'alcove.delivery.attempt': delivery.attemptCount + 1 })
    const post = this.#withTrace(started, span)
    const sentAt = performance.now()
    const outcome = await this.transport.post(post, { signal: job.signal })
    const durationMs = Math.round(performance.now() - sentAt)
    const { retry: schedule } = destination
    const settlement = settleAttempt({
      outcome,
      attempts: delivery.attemptCount + 1,
      retry: schedule,
      now: this.clock.now(),
      random: Math.random(),
    })
    const responseBody = outcome.kind === 'response' ? responseText(outcome.body) : null
    const { retryInMs } = settlement
    const recordOutcome = async (): Promise<void> => {
      const attempt = {
        attemptId,
        delivery,
        destination,
        settlement,
        responseBody,
        durationMs,
        finishedAt: this.#now(),
      }
      const work = batched(this.#finishAttempts, attempt)
      // Failures of the engine itself become final after a few: those of a receiver over a day are none of them.
      const isFailure = schedule === 'standard'
      await (retryInMs === undefined ? job.complete(work) : job.postpone(work, retryInMs, { isFailure }))
    }
    // A delivery without a recorded outcome must be sent a second time. So wait for a database that is unavailable.
    await retry(recordOutcome, { backoff: RECORD_BACKOFF, isTransient: isStorageUnavailable, signal: job.signal })
    this.#reportAttempt(delivery, settlement, durationMs)
    traceAttempt(span, delivery, settlement)
  }

  /** The host decides if receivers learn of its traces. */
  #withTrace({ post, delivery }: StartedDelivery, span: Span): HttpPost {
    const traceparent = span.traceparent ?? delivery.traceparent
    if (!this.#sendsTraceparent || traceparent === null) return post
    return { ...post, headers: { ...post.headers, traceparent } }
  }

  /** Records a delivery that cannot be sent: its bytes or its secret are damaged, or it crashes every process. */
  async fail({ deliveries }: Repositories, subject: number, error: unknown): Promise<void> {
    const isKnown = error instanceof AlcoveError
    const problem = isKnown ? `${error.message} (${error.code})` : 'an internal failure (ERR_INTERNAL)'
    const reason = isKnown ? (error.reason ?? null) : errorReason('internal-failure')
    await deliveries.interruptAttempts([subject])
    await deliveries.update(subject, { status: 'dead', error: problem, reason, updated: this.#now() })
  }

  /** @returns the reason of the cancellation of a delivery that must not be sent */
  async #start(job: JobRun): Promise<StartedDelivery | Obstacle> {
    for (;;) {
      const prepared = await this.#prepare(job.subject)
      if ('error' in prepared) return prepared
      const attemptId = await job.transaction(batched(startAttempts, { ...prepared, startedAt: this.#now() }))
      if (attemptId !== undefined) return { ...prepared, attemptId }
      // The URL or the secret has changed since it was read: prepare the request with the new one.
      job.signal.throwIfAborted()
    }
  }

  async #prepare(id: number): Promise<PreparedDelivery | Obstacle> {
    const sendable = await this.#sendable.run(id)
    if (sendable === undefined) return CANCELLED
    const { delivery, destination, event } = sendable
    const body = event.payload
    if ((await sha256Hex(body)) !== event.payloadHash) {
      throw new PayloadCorruptError(`the stored bytes of the event ${delivery.eventId} are damaged`, {
        reason: errorReason('event-damaged', { event: delivery.eventId }),
      })
    }
    const now = this.clock.now()
    if (await this.#isHidden(sendable, now)) return PRIVATE
    const headers = await requestHeaders({
      eventId: delivery.eventId,
      type: delivery.type,
      body,
      scheme: destination.signatureScheme,
      secret: await this.#secretBox.open(destination.sealedSecret),
      previousSecret: await this.#previousSecretOf(destination, now),
      now,
    })
    return { delivery, destination, post: { url: destination.url, headers, body } }
  }

  /** Since the recording, the URL may be another one, its maker may have lost rights, and the context may be private. */
  async #isHidden({ delivery, destination, event }: SendableDelivery, now: Date): Promise<boolean> {
    // The host's events and those of the specification name no documents, and need no read.
    if (!delivery.type.startsWith('document.')) return false
    return await this.storage.read(async (repositories) => {
      if ((await withoutNames(repositories, delivery.type, event.payload)) === undefined) return false
      return !(await maySeePrivate(repositories, destination, now))
    })
  }

  async #previousSecretOf(
    { previousSealedSecret, previousSecretExpires }: SendableDelivery['destination'],
    now: Date,
  ): Promise<string | undefined> {
    if (previousSealedSecret === null || previousSecretExpires === null) return undefined
    if (!isPreviousSecretUsed(previousSecretExpires, now)) return undefined
    return await this.#secretBox.open(previousSealedSecret)
  }

  /** Records the outcomes of a batch of attempts. */
  readonly #finishAttempts = async (
    repositories: Repositories,
    attempts: readonly FinishedAttempt[],
  ): Promise<readonly undefined[]> => {
    const { deliveries } = repositories
    await deliveries.endAttempts(
      attempts.map(({ attemptId, settlement: { outcome, httpStatus, error, reason }, responseBody, durationMs }) => {
        return { id: attemptId, outcome, httpStatus, error, reason, responseBody, durationMs }
      }),
    )
    await deliveries.updateAll(
      attempts.map(
        ({ delivery: { id, attemptCount }, settlement: { status, httpStatus, error, reason }, finishedAt }) => {
          return { id, status, httpStatus, attemptCount: attemptCount + 1, error, reason, updated: finishedAt }
        },
      ),
    )
    const reports = attempts.flatMap(reportsOf)
    if (reports.length > 0) await this.failures.record(repositories, reports)
    return attempts.map(() => undefined)
  }

  #reportAttempt({ id, destinationId, type }: DeliveryRecord, settlement: Settlement, durationMs: number): void {
    const { outcome, httpStatus, status, error } = settlement
    this.telemetry.record({
      name: 'outbox.attempt',
      level: outcome === 'success' ? 'info' : 'warn',
      fields: { deliveryId: id, destinationId, type, outcome, httpStatus, status, problem: error },
      durationMs,
    })
  }

  #now(): string {
    return this.clock.now().toISOString()
  }
}

function traceAttempt(span: Span, { type }: DeliveryRecord, { outcome, httpStatus }: Settlement): void {
  // Each label value is a series of its own, and a host may define many types.
  const isOfHost = !isBuiltIn(type)
  span.label({ 'alcove.event.type': isOfHost ? 'host' : type, 'alcove.delivery.outcome': outcome })
  if (isOfHost) span.set({ 'alcove.event.host_type': type })
  if (httpStatus !== null) span.set({ 'http.response.status_code': httpStatus })
  if (outcome !== 'success') span.fail(outcome)
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

interface FinishedAttempt extends Pick<SendableDelivery, 'delivery' | 'destination'> {
  readonly attemptId: number
  readonly settlement: Settlement
  readonly responseBody: string | null
  readonly durationMs: number
  /** ISO 8601. */
  readonly finishedAt: string
}

/** The report of an attempt about its destination. There is none for a success of a destination that does not fail. */
function reportsOf({ delivery, destination, settlement, finishedAt }: FinishedAttempt): readonly AttemptReport[] {
  const isSuccess = settlement.outcome === 'success'
  if (destination.retry !== 'long' || (isSuccess && destination.failingSince === null)) return []
  const { isGone, isExhausted } = settlement
  const { url, retry: schedule, updated } = destination
  const version = { url, retry: schedule, updated }
  return [{ destinationId: delivery.destinationId, version, isSuccess, isGone, isExhausted, finishedAt }]
}

function isStorageUnavailable(error: unknown): boolean {
  return (error instanceof StorageError && error.isTransient) || error instanceof DiskUnwritableError
}
