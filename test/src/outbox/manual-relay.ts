import type { Knex } from 'knex'
import { MemoryHttpTransport, MemoryMailer, MemoryTelemetry } from '../../../adapters/memory/index.js'
import { createJobRecorder, type JobHandler } from '../../../src/jobs/job-handler.js'
import { HeldJob } from '../../../src/jobs/running-job.js'
import { SecretBox } from '../../../src/kernel/crypto.js'
import { DEFAULT_LIMITS } from '../../../src/kernel/limits.js'
import { DeliverEvent, DestinationFailures } from '../../../src/outbox/index.js'
import { type Clock, type Mail, type Storage } from '../../../src/ports/index.js'
import { NO_SPAN } from '../../../src/ports/tracing.js'
import { MailGate, MailQueue, SendMail } from '../../../src/tenancy/index.js'

/** A relay that makes the attempts of a test at once, however long their pauses are. */
export class ManualRelay {
  readonly transport: MemoryHttpTransport = new MemoryHttpTransport()
  readonly #storage: Storage
  readonly #knex: Knex
  readonly #mailer = new MemoryMailer()
  readonly #handlers: readonly JobHandler[]

  /** @param secretKey that of the test's engine */
  constructor(storage: Storage, knex: Knex, clock: Clock, secretKey: Uint8Array = new Uint8Array(32).fill(7)) {
    this.#storage = storage
    this.#knex = knex
    const sendMail = new SendMail(storage, clock, this.#mailer, {})
    const telemetry = new MemoryTelemetry()
    const queue = new MailQueue(storage, clock, this.#mailer, sendMail, telemetry, new MailGate(clock, DEFAULT_LIMITS))
    const failures = new DestinationFailures(clock, queue)
    const box = new SecretBox(secretKey)
    this.#handlers = [new DeliverEvent(storage, clock, this.transport, box, telemetry, failures), sendMail]
  }

  /** Makes the next attempt of each delivery that waits, whenever it is due. */
  async attempt(): Promise<void> {
    await this.#knex('alcove_jobs').update({ due_ms: 0, lease_expires_ms: 0 })
    await this.#run('deliver-event')
  }

  /** Sends the mails that wait. @returns them */
  async mails(): Promise<readonly Mail[]> {
    this.#mailer.sent.length = 0
    await this.#run('send-mail')
    return [...this.#mailer.sent]
  }

  async #run(kind: string): Promise<void> {
    const handler = this.#handlers.find((each) => each.kind === kind)
    const lanes = (await this.#storage.read(({ jobs }) => jobs.waiting([kind]))).map(({ lane }) => ({ lane, most: 99 }))
    const claim = { kinds: [kind], leaseMs: 60_000, lanes }
    const record = createJobRecorder(this.#storage, { isBatched: true, leaseMs: 60_000 })
    const { signal } = new AbortController()
    const claimed = await this.#storage.transaction(({ jobs }) => jobs.claim(claim))
    // All at once, so that their outcomes are recorded in one batch.
    await Promise.all(claimed.map(async (job) => await handler?.run(new HeldJob(record, job, signal), NO_SPAN)))
  }
}
