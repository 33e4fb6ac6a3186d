import { writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Knex } from 'knex'
import { testCertificates } from '../../adapters/https-transport/certificates.js'
import { Kills, lastingProblems } from '../../kills.js'
import { MortalProcess } from '../../mortal-process.js'
import { seededRandom } from '../../seeded-random.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { DATABASES } from './database.js'
import { outboxEngine } from './outbox-engine.js'

export interface SoakOptions {
  readonly events: number
  readonly destinations: number
  /** The database that the relays share; one that {@link DATABASES} contains. */
  readonly database?: 'SQLite' | 'PostgreSQL'
  /** Relays at a time, each in a process of its own; default 1. */
  readonly relays?: number
  /** Shortest and longest life of a relay; without it nothing kills one. */
  readonly killEveryMs?: readonly [number, number]
  /** Kills of all relays. Until they are made, further events are recorded. Default: the run ends with the events. */
  readonly kills?: number | undefined
  readonly seed: number
  readonly progress?: (line: string) => void
}

export interface SoakReport {
  readonly seed: number
  readonly seconds: number
  readonly deliveries: number
  readonly relaysKilled: number
  /** Kills after which the database was verified. The end of the run is none. */
  readonly examinedKills: number
  readonly doctorSeconds: number
  readonly posts: number
  /** Requests of each relay that it reported before it was killed. */
  readonly requestsByRelay: readonly number[]
  /** Deliveries that reach a terminal status in a second. */
  readonly deliveriesPerSecond: number
  /** POSTs beyond the first of an event to a destination. */
  readonly duplicates: number
  /** The part of the repeated POSTs after a failure of the receiver. */
  readonly duplicatesAfterFailures: number
  /** The part of the repeated POSTs after a relay was killed before it recorded the previous one. */
  readonly duplicatesAfterKills: number
  /** Attempts in the log, by outcome. */
  readonly attempts: Readonly<Record<string, number>>
  /** Errors; must be empty. */
  readonly problems: readonly string[]
}

/** The largest number of failures for one event at a receiver, so that three attempts are enough. */
const MOST_FAILURES = 2

/** Runs the soak; each relay runs in a process of its own. The database is verified after each kill of one. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const { database: wanted = 'SQLite', relays: count = 1 } = options
  const found = DATABASES.find(({ name }) => name === wanted)
  if (found === undefined) throw new Error(`there is no ${wanted} to test with`)
  const database = await found.openEmpty()
  const folder = await temporaryFolder()
  const random = seededRandom(options.seed)
  const began = performance.now()
  const destinations: Destination[] = []
  // The clock of the relays: they remove the deliveries of a month ago.
  const recorder = await outboxEngine(database.storage(), { roles: [], clock: { now: () => new Date() } })
  for (let number = 0; number < options.destinations; number += 1) {
    const destination = await Destination.start(random)
    await recorder.engine.administration.destinations.create({ url: destination.url, eventTypes: null })
    destinations.push(destination)
  }
  const verify = async () => lastingProblems(await recorder.engine.administration.verify())
  const kills = new Kills({ most: options.kills, examine: verify })
  const caFile = join(folder.path, 'ca.pem')
  await writeFile(caFile, testCertificates().ca)
  const relays = Array.from(
    { length: count },
    () =>
      new MortalProcess({
        script: join(import.meta.dirname, 'relay-child.ts'),
        args: [database.address, caFile, 'none', 'relay'],
        killEveryMs: options.killEveryMs,
        kills,
        random,
      }),
  )
  const stop = async (): Promise<unknown> => await Promise.all(relays.map((relay) => relay.stop()))
  for (const relay of relays) relay.start()
  try {
    const recorded = new Set<string>()
    const isOver = (): boolean => kills.areMade || relays.some(({ deaths }) => deaths.length > 0)
    do {
      for (let event = 0; event < options.events; event += 1) recorded.add((await recorder.record(event)).id)
      options.progress?.(`recorded ${recorded.size} events, ${kills.made} kills are made`)
      await untilSettled(database.knex, options.progress)
    } while (options.kills !== undefined && !isOver())
    await stop()
    const seconds = (performance.now() - began) / 1_000
    const deliveries = recorded.size * options.destinations
    const examined = await examine(database.knex, destinations, recorded)
    return {
      seed: options.seed,
      seconds: Math.round(seconds),
      deliveries,
      deliveriesPerSecond: Math.round(deliveries / seconds),
      relaysKilled: relays.reduce((sum, { killed }) => sum + killed, 0),
      examinedKills: kills.made,
      doctorSeconds: kills.examinedSeconds,
      requestsByRelay: relays.map(({ done }) => done),
      ...examined,
      problems: [...relays.flatMap(({ deaths }) => deaths), ...kills.problems, ...examined.problems],
    }
  } finally {
    await stop()
    await recorder.engine.close()
    for (const destination of destinations) await destination.close()
    await database.dispose()
    await folder.remove()
  }
}

/**
 * A receiver that fails at random. It stores totals for each event, because all requests would need too much memory.
 */
class Destination {
  readonly events = new Map<string, { readonly bodies: string[]; failures: number; accepted: number }>()
  readonly #server: Server
  readonly #random: () => number

  static async start(random: () => number): Promise<Destination> {
    const { key, valid: cert } = testCertificates()
    const server = createServer({ key, cert })
    const destination = new Destination(server, random)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return destination
  }

  constructor(server: Server, random: () => number) {
    this.#server = server
    this.#random = random
    server.on('tlsClientError', () => undefined)
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void text(request).then(
        (body) => this.#receive(body, response),
        () => undefined,
      )
    })
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #receive(body: string, response: ServerResponse): void {
    const { id } = JSON.parse(body) as { id: string }
    const event = this.events.get(id) ?? { bodies: [], failures: 0, accepted: 0 }
    this.events.set(id, event)
    event.bodies.push(body)
    const dice = this.#random()
    if (dice < 0.1 && event.failures < MOST_FAILURES) {
      event.failures += 1
      if (dice < 0.05) response.writeHead(503).end('not now')
      else response.socket?.destroy()
      return
    }
    event.accepted += 1
    // Some answers are slow, so that the relay is killed during a request.
    setTimeout(() => response.writeHead(204).end(), dice > 0.9 ? 300 : 0)
  }
}

async function untilSettled(knex: Knex, progress: SoakOptions['progress']): Promise<void> {
  for (let poll = 0; ; poll += 1) {
    const rows: readonly { status: string; count: number }[] = await knex('alcove_deliveries')
      .select('status')
      .count({ count: '*' })
      .groupBy('status')
    if (poll % 20 === 0) progress?.(rows.map(({ status, count }) => `${status} ${count}`).join(', '))
    if (rows.every(({ status }) => status !== 'pending' && status !== 'delivering')) return
    await wait(500)
  }
}

/** Compares the arrived events with the log, delivery by delivery. */
async function examine(knex: Knex, destinations: readonly Destination[], recorded: ReadonlySet<string>) {
  const problems: string[] = []
  const payloads = new Map<string, string>()
  const events: readonly { event_id: string; payload: Buffer }[] = await knex('alcove_events').select()
  for (const { event_id: id, payload } of events) payloads.set(id, payload.toString())
  let [posts, afterFailures, afterKills] = [0, 0, 0]
  const logged = await readLog(knex)
  if (logged.length !== recorded.size * destinations.length) problems.push(`${logged.length} deliveries are in the log`)
  for (const { id, event, destination, status, outcomes, interrupted } of logged) {
    const got = destinations[destination - 1]?.events.get(event)
    const bodies = got?.bodies ?? []
    if (status !== 'succeeded') problems.push(`delivery ${id} is ${status}`)
    if (got === undefined || got.accepted === 0) problems.push(`delivery ${id} never arrived`)
    if (bodies.some((body) => body !== payloads.get(event))) problems.push(`delivery ${id} came with other bytes`)
    // A POST without an outcome was cut by a kill, and then the log has an interrupted attempt for it.
    const untold = bodies.length - outcomes
    if (untold < 0 || untold > interrupted) {
      problems.push(`delivery ${id}: ${bodies.length} POSTs, ${outcomes} outcomes, ${interrupted} interrupted`)
    }
    posts += bodies.length
    afterFailures += outcomes - 1
    afterKills += untold
  }
  return {
    posts,
    duplicates: afterFailures + afterKills,
    duplicatesAfterFailures: afterFailures,
    duplicatesAfterKills: afterKills,
    attempts: await countAttempts(knex),
    problems: problems.slice(0, 20),
  }
}

interface LoggedDelivery {
  readonly id: number
  readonly event: string
  readonly destination: number
  readonly status: string
  /** Attempts whose outcome the receiver decided. */
  readonly outcomes: number
  readonly interrupted: number
}

async function readLog(knex: Knex): Promise<readonly LoggedDelivery[]> {
  const count = (condition: string): Knex.Raw => knex.raw(`sum(case when ${condition} then 1 else 0 end)`)
  const rows: readonly Record<keyof LoggedDelivery, string | number>[] = await knex({ delivery: 'alcove_deliveries' })
    .leftJoin({ attempt: 'alcove_attempts' }, 'attempt.delivery_id', 'delivery.id')
    .groupBy('delivery.id', 'delivery.event_id', 'delivery.destination_id', 'delivery.status')
    .select({
      id: 'delivery.id',
      event: 'delivery.event_id',
      destination: 'delivery.destination_id',
      status: 'delivery.status',
      outcomes: count("attempt.outcome <> 'interrupted'"),
      interrupted: count("attempt.outcome = 'interrupted'"),
    })
  // PostgreSQL returns 64-bit integers as strings.
  return rows.map((row) => ({
    id: Number(row.id),
    event: String(row.event),
    destination: Number(row.destination),
    status: String(row.status),
    outcomes: Number(row.outcomes),
    interrupted: Number(row.interrupted),
  }))
}

async function countAttempts(knex: Knex): Promise<Readonly<Record<string, number>>> {
  const rows: readonly { outcome: string | null; count: string | number }[] = await knex('alcove_attempts')
    .select('outcome')
    .count({ count: '*' })
    .groupBy('outcome')
  return Object.fromEntries(rows.map(({ outcome, count }) => [outcome ?? 'open', Number(count)]))
}

async function wait(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}
