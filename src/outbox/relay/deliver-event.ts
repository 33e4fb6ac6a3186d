import { type JobHandler, type JobRun, together } from '../../jobs/index.js'
import { Together } from '../../kernel/batcher.js'
import { AlcoveError, PayloadCorruptError } from '../../kernel/errors.js'
import { sha256Hex } from '../../kernel/random.js'
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
import { beginAttempts, endAttempts, patiently } from './attempt-log.js'
import { type Settlement, settleAttempt } from './settle-attempt.js'

const GONE = 'the destination was deleted, or its company is disabled'

/** A delivery that can be attempted, and its request. */
interface Prepared extends Pick<SendableDelivery, 'delivery' | 'destination'> {
  readonly post: HttpPost
}

/** One whose attempt is noted: it may be sent. */
interface Begun extends Prepared {
  readonly attemptId: number
}

/**
 * Makes one attempt at a delivery: signs the captured bytes with the destination's secret of now, notes that it
 * begins, sends, and records what came of it. What a crash leaves begun is `interrupted`, and sent again.
 */
export class DeliverEvent implements JobHandler {
  readonly kind: string = DELIVER_EVENT
  readonly #clock: Clock
  readonly #transport: HttpTransport
  readonly #secretBox: SecretBox
  readonly #telemetry: Telemetry
  /** Of those that begin at about the same time. */
  readonly #sendable: Together<number, SendableDelivery | undefined>

  constructor(storage: Storage, clock: Clock, transport: HttpTransport, secretBox: SecretBox, telemetry: Telemetry) {
    this.#clock = clock
    this.#transport = transport
    this.#secretBox = secretBox
    this.#telemetry = telemetry
    this.#sendable = new Together(async (ids) => {
      const sendable = await storage.read(({ deliveries }) => deliveries.getSendable(ids))
      return ids.map((id) => sendable.get(id))
    })
  }

  async run(job: JobRun): Promise<void> {
    const begun = await this.#begin(job)
    if (begun === undefined) {
      await job.complete(({ deliveries }) => deliveries.cancelAll([job.subject], { error: GONE, updated: this.#now() }))
      return
    }
    const { delivery, post, attemptId } = begun
    const began = performance.now()
    const outcome = await this.#transport.post(post, { signal: job.signal })
    const durationMs = Math.round(performance.now() - began)
    const settled = settleAttempt(outcome, delivery.attemptCount + 1, Math.random())
    const responseBody = outcome.kind === 'response' ? responseText(outcome.body) : null
    const { retryInMs } = settled
    await patiently(async () => {
      const ending = { attemptId, delivery, settled, responseBody, durationMs, at: this.#now() }
      const record = together(endAttempts, ending)
      await (retryInMs === undefined ? job.complete(record) : job.postpone(record, retryInMs))
    }, job.signal)
    this.#tell(delivery, settled, durationMs)
  }

  /** The delivery cannot be made at all: its bytes or its secret are damaged, or it ends every process. */
  async fail({ deliveries }: Repositories, subject: number, error: unknown): Promise<void> {
    const problem =
      error instanceof AlcoveError ? `${error.message} (${error.code})` : 'an internal failure (ERR_INTERNAL)'
    await deliveries.interruptAttempts([subject])
    await deliveries.update(subject, { status: 'dead', error: problem, updated: this.#now() })
  }

  /** @returns undefined where the destination was deleted, or its company is disabled or deleted */
  async #begin(job: JobRun): Promise<Begun | undefined> {
    for (;;) {
      const prepared = await this.#prepare(job.subject)
      if (prepared === undefined) return undefined
      const attemptId = await job.transaction(together(beginAttempts, { ...prepared, at: this.#now() }))
      if (attemptId !== undefined) return { ...prepared, attemptId }
      // The URL or the secret was changed meanwhile: what goes out goes there, and is signed so.
      job.signal.throwIfAborted()
    }
  }

  async #prepare(id: number): Promise<Prepared | undefined> {
    const found = await this.#sendable.do(id)
    if (found === undefined) return undefined
    const { delivery, destination, event } = found
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

  #tell({ id, destinationId, type }: DeliveryRecord, settled: Settlement, durationMs: number): void {
    const { outcome, httpStatus, status, error } = settled
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

/**
 * The beginning of a response's body for the delivery log: as UTF-8, whatever it is, without characters that
 * no store or terminal should get.
 */
function responseText(body: Uint8Array): string {
  return new TextDecoder().decode(body).replaceAll(/[^\P{Cc}\n\r\t]/gu, '\uFFFD')
}
