import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  MemoryClock,
  MemoryHttpTransport,
  MemoryMailer,
  MemoryStorage,
  MemoryTelemetry,
} from '../../../adapters/memory/index.js'
import { createJobRecorder, type RecordOfJob } from '../../../src/jobs/job-handler.js'
import { HeldJob } from '../../../src/jobs/running-job.js'
import { SecretBox } from '../../../src/kernel/crypto.js'
import { DEFAULT_LIMITS } from '../../../src/kernel/limits.js'
import {
  CompanyRates,
  DELIVER_EVENT,
  DeliverEvent,
  Deliveries,
  DestinationFailures,
  Destinations,
  HostEventTypes,
  RecordEvent,
  VetDestination,
} from '../../../src/outbox/index.js'
import { type DeliveryStatus, type HttpOutcome, type Storage } from '../../../src/ports/index.js'
import { NO_SPAN } from '../../../src/ports/tracing.js'
import { Initialize, MailGate, MailQueue, SendMail, UNLIMITED } from '../../../src/tenancy/index.js'
import { sized } from '../../full-form.js'
import { DATABASES } from './database.js'
import { answer, HangingTransport } from './outbox-engine.js'

const TERMINAL: readonly DeliveryStatus[] = ['succeeded', 'failed', 'blocked', 'cancelled', 'dead']
const OUTCOMES: readonly HttpOutcome[] = [
  answer(200),
  answer(404),
  answer(410),
  answer(429),
  answer(503),
  { kind: 'timeout', error: 'late' },
  { kind: 'connection_error', error: 'refused' },
  { kind: 'blocked', error: 'private' },
]

/** The next step. Numbers choose among the items that exist at that moment. */
interface Step {
  readonly what: 'record' | 'claim' | 'expire' | 'beat' | 'crash' | 'cancel' | 'resend' | 'answer'
  readonly which: number
  readonly outcome: number
}

const what: fc.Arbitrary<Step['what']> = fc.oneof(
  { arbitrary: fc.constantFrom('claim', 'answer'), weight: 7 },
  { arbitrary: fc.constantFrom('record', 'expire', 'beat', 'crash', 'cancel', 'resend'), weight: 5 },
)
const step: fc.Arbitrary<Step> = fc.record({ what, which: fc.nat(9), outcome: fc.nat(OUTCOMES.length - 1) })

afterEach(() => {
  vi.useRealTimers()
})

describe('any interleaving of claims, expiries, records and cancellations', () => {
  it('ends each delivery in exactly one terminal state, in memory', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        vi.useFakeTimers({ toFake: ['Date'] })
        const storage = new MemoryStorage()
        await check(storage, steps, async () => {
          vi.setSystemTime(Date.now() + 60_000)
        })
      }),
      { numRuns: sized(60, 150) },
    )
  })

  it.each(DATABASES)('ends each delivery in exactly one terminal state, on $name', async ({ open }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const database = await open()
        try {
          await check(database.storage(), steps, async () => {
            await database.knex('alcove_jobs').update({ due_ms: 0, lease_expires_ms: 0 })
          })
        } finally {
          await database.dispose()
        }
      }),
      { numRuns: sized(12, 25) },
    )
  })
})

/** @param expire expires every lease, and ends every pause */
async function check(storage: Storage, steps: readonly Step[], expire: () => Promise<void>): Promise<void> {
  const world = await World.create(storage, expire)
  await world.record()
  await world.checkStatuses()
  for (const each of steps) {
    await world.apply(each)
    await world.checkStatuses()
  }
  await world.finish()
  await world.checkStatuses()
  for (const [id, status] of world.statuses) expect([id, TERMINAL.includes(status)]).toEqual([id, true])
  const { waiting, attempts } = await world.leftOver()
  expect(waiting).toEqual([])
  // Every attempt has an outcome. Three attempts of a delivery count at most, or eleven with the long schedule.
  for (const { delivery, attempts: ofDelivery } of attempts) {
    expect(ofDelivery.every(({ outcome }) => outcome !== null)).toBe(true)
    const counted = ofDelivery.filter(({ outcome }) => outcome !== 'interrupted').length
    expect(counted).toBeLessThanOrEqual(delivery?.destinationId === LONG_DESTINATION ? 11 : 3)
    expect(delivery?.attemptCount).toBe(counted)
    const successes = ofDelivery.filter(({ outcome }) => outcome === 'success')
    expect(successes.length).toBeLessThanOrEqual(1)
  }
}

function destinationsOf(storage: Storage, clock: MemoryClock): Destinations {
  const rates = new CompanyRates(clock, DEFAULT_LIMITS)
  const vetDestination = new VetDestination(new MemoryHttpTransport(), new MemoryTelemetry(), storage, rates)
  return new Destinations(storage, clock, vetDestination, BOX, rates, DEFAULT_LIMITS, new HostEventTypes(storage))
}

function failuresOf(storage: Storage, clock: MemoryClock): DestinationFailures {
  const mailer = new MemoryMailer()
  const sendMail = new SendMail(storage, clock, mailer, {})
  const gate = new MailGate(clock, DEFAULT_LIMITS)
  return new DestinationFailures(clock, new MailQueue(storage, clock, mailer, sendMail, new MemoryTelemetry(), gate))
}

/** The id of the second destination, with the long schedule. */
const LONG_DESTINATION = 2

/** Two destinations, and workers that hold their claims until they receive an outcome. */
class World {
  readonly statuses = new Map<number, DeliveryStatus>()
  readonly #storage: Storage
  readonly #expire: () => Promise<void>
  readonly #clock = new MemoryClock()
  readonly #record: RecordOfJob
  readonly #handler: DeliverEvent
  #runs: Run[] = []

  static async create(storage: Storage, expire: () => Promise<void>): Promise<World> {
    await storage.open()
    const clock = new MemoryClock()
    const { companyId } = await new Initialize(storage, clock).ensureOwner()
    const destinations = destinationsOf(storage, clock)
    for (const retry of ['standard', 'long'] as const) {
      await destinations.create({ url: `https://${retry}.example.com/`, eventTypes: null, retry }, companyId, UNLIMITED)
    }
    return new World(storage, expire)
  }

  constructor(storage: Storage, expire: () => Promise<void>) {
    this.#storage = storage
    this.#expire = expire
    this.#record = createJobRecorder(storage, { isBatched: true, leaseMs: 60_000 })
    this.#handler = this.#newHandler(new MemoryHttpTransport())
  }

  async record(): Promise<void> {
    const event = { type: 'agent.deleted', data: { agentId: 1 }, companyId: 1 } as const
    const hostTypes = new HostEventTypes(this.#storage)
    await new RecordEvent(this.#storage, this.#clock, hostTypes).execute(event, {}, () => undefined)
  }

  async apply({ what: next, which, outcome }: Step): Promise<void> {
    const steps: Record<Step['what'], () => Promise<void>> = {
      record: async () => await this.record(),
      claim: async () => await this.#claim(),
      expire: async () => await this.#expire(),
      beat: async () => {
        for (const run of this.#runs) await run.beat()
      },
      crash: async () => {
        this.#runs = []
      },
      answer: async () => await this.#answer(which, OUTCOMES[outcome] ?? answer(200)),
      cancel: async () => {
        const destinations = destinationsOf(this.#storage, this.#clock)
        await destinations.delete(1 + (which % 2), UNLIMITED).catch(expectCode('ERR_DESTINATION_NOT_FOUND'))
      },
      resend: async () => {
        const id = [...this.statuses.keys()][which % this.statuses.size] ?? 0
        const deliveries = new Deliveries(this.#storage, this.#clock, new CompanyRates(this.#clock, DEFAULT_LIMITS))
        // A destination that answered 410 is disabled.
        await deliveries.resend(id, UNLIMITED).catch(expectCode('ERR_DESTINATION_NOT_FOUND', 'ERR_INVALID_INPUT'))
      },
    }
    await steps[next]()
  }

  /** A delivery never leaves a terminal state. */
  async checkStatuses(): Promise<void> {
    const records = await this.#storage.read(({ deliveries }) => deliveries.list({ limit: 1_000 }))
    for (const { id, status } of records.toReversed()) {
      const before = this.statuses.get(id)
      if (before !== undefined && TERMINAL.includes(before)) expect([id, status]).toEqual([id, before])
      this.statuses.set(id, status)
    }
  }

  /** All holders of leases have stopped; one worker does the rest. */
  async finish(): Promise<void> {
    for (const run of this.#runs) run.transport.letGo(answer(200))
    await Promise.all(this.#runs.map(({ ended }) => ended))
    for (let round = 0; round < 20; round += 1) {
      await this.#expire()
      for (;;) {
        const claimed = await this.#storage.transaction(({ jobs }) =>
          jobs.claim({ kinds: [DELIVER_EVENT], leaseMs: 60_000 }),
        )
        if (claimed.length === 0) break
        for (const job of claimed) await this.#handler.run(this.#hold(job), NO_SPAN)
      }
    }
  }

  async leftOver() {
    return await this.#storage.read(async ({ jobs, deliveries }) => ({
      waiting: await jobs.waiting([DELIVER_EVENT]),
      attempts: await Promise.all(
        [...this.statuses.keys()].map(async (id) => {
          return { delivery: await deliveries.get(id), attempts: await deliveries.listAttempts(id) }
        }),
      ),
    }))
  }

  async #claim(): Promise<void> {
    const [job] = await this.#storage.transaction(({ jobs }) => jobs.claim({ kinds: [DELIVER_EVENT], leaseMs: 60_000 }))
    if (job === undefined) return
    const transport = new HangingTransport()
    const held = this.#hold(job)
    let isOver = false
    const ended = this.#newHandler(transport)
      .run(held, NO_SPAN)
      .catch(expectCode('ERR_LEASE_LOST'))
      .finally(() => {
        isOver = true
      })
    this.#runs.push({
      transport,
      ended,
      beat: async () => {
        await this.#storage.transaction(({ jobs }) => jobs.extend(job, 60_000))
      },
    })
    await vi.waitFor(() => expect(isOver || transport.hanging > 0).toBe(true), { interval: 1 })
  }

  async #answer(which: number, outcome: HttpOutcome): Promise<void> {
    const run = this.#runs[which % Math.max(1, this.#runs.length)]
    if (run === undefined) return
    run.transport.letGo(outcome)
    await run.ended
    this.#runs = this.#runs.filter((other) => other !== run)
  }

  #hold(job: ConstructorParameters<typeof HeldJob>[1]): HeldJob {
    return new HeldJob(this.#record, job, new AbortController().signal)
  }

  #newHandler(transport: MemoryHttpTransport): DeliverEvent {
    const failures = failuresOf(this.#storage, this.#clock)
    return new DeliverEvent(this.#storage, this.#clock, transport, BOX, new MemoryTelemetry(), failures)
  }
}

interface Run {
  readonly transport: HangingTransport
  readonly ended: Promise<void>
  beat(): Promise<void>
}

const BOX = new SecretBox(new Uint8Array(32))

function expectCode(...codes: readonly string[]): (error: unknown) => void {
  return (error) => expect(codes).toContain((error as { readonly code?: string }).code)
}
