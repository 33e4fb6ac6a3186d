/**
 * P7: what recording an event costs, and how fast the relay is beside bare `node:https` POSTs with a new
 * connection each, on SQLite: ten destinations on this machine, one of which hangs.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { openLocalEngine } from '../dist/adapters/local/index.js'
import { MemoryEmbeddingModel } from '../dist/adapters/memory/index.js'
import type { Engine } from '../dist/src/index.js'
import { messageOf } from './child-message.js'
import { figureOf, inTurn, quantile, type Spread, timesOf } from './measure.js'
import { writeReport } from './report.js'

const RECORD_LIMIT_MS = 5
const isQuick = process.argv.includes('--quick')
/** Few enough that what waits, with nobody to send it, does not become what is measured. */
const RUNS = isQuick ? 40 : 100
const EVENTS = isQuick ? 30 : 300
const SINGLES = isQuick ? 20 : 100
const HEALTHY = 9
/** As many as the relay has under way to nine destinations. */
const BARE_CONCURRENCY = 72
const ROUNDS = isQuick ? 1 : 5

type Role = 'ingest' | 'relay'

interface Ready {
  readonly ca: string
  readonly ports: readonly number[]
}

const receivers: ChildProcess = fork(join(import.meta.dirname, 'event-receivers.ts'), [String(HEALTHY)], {
  execArgv: ['--import', 'tsx'],
})
const { ca, ports } = (await messageOf(receivers)) as Ready
const urls = ports.map((port) => `https://127.0.0.1:${port}/`)

const DESTINATIONS = [0, 10, 100]
let recorded: number[] = []
let untilRequest: number[] = []
const figures = await inTurn(ROUNDS, [
  ...DESTINATIONS.flatMap((count) => [
    { name: `p50 ${count}`, run: async () => quantile((recorded = await record(count)), 0.5) },
    { name: `p95 ${count}`, run: () => quantile(recorded, 0.95) },
  ]),
  { name: 'bare POSTs/s', run: postBare },
  { name: 'deliveries/s', run: relay },
  { name: 'commit to request, p50 ms', run: async () => quantile((untilRequest = await timeToFirstByte()), 0.5) },
  { name: 'p95 ms', run: () => quantile(untilRequest, 0.95) },
])
receivers.kill()
const of = (name: string): Spread => figureOf(figures, name)
const recording = DESTINATIONS.map((count) => ({
  what: `record an event with ${count} destinations`,
  p50Ms: of(`p50 ${count}`),
  p95Ms: of(`p95 ${count}`),
}))
const delivery = {
  'bare POSTs/s': of('bare POSTs/s'),
  'deliveries/s': of('deliveries/s'),
  ratio: Math.round((of('deliveries/s').median / of('bare POSTs/s').median) * 100) / 100,
  'commit to request, p50 ms': of('commit to request, p50 ms'),
  'p95 ms': of('p95 ms'),
}
console.table(recording.map(({ what, p50Ms, p95Ms }) => ({ what, p50Ms: p50Ms.median, p95Ms: p95Ms.median })))
console.table(
  Object.entries(delivery).map(([figure, value]) => ({
    figure,
    median: typeof value === 'number' ? value : value.median,
  })),
)
if (!isQuick) writeReport('events', { recording, delivery })
// A smoke test runs beside other work, and measures nothing.
if (!isQuick && recording.some(({ p50Ms }) => p50Ms.median > RECORD_LIMIT_MS)) {
  console.error(`recording an event takes more than ${RECORD_LIMIT_MS} ms at the median`)
  process.exitCode = 1
}

/** Times of recording alone: no relay runs beside it. */
async function record(destinations: number): Promise<number[]> {
  return await withNewEngine([], async (engine) => {
    for (let number = 0; number < destinations; number += 1) {
      await engine.administration.destinations.create({ url: `${urls[0]}${number}`, eventTypes: null })
    }
    return await timesOf(RUNS, () => recordOne(engine))
  })
}

/** Deliveries per second of events that wait, as the bare POSTs do; those to the destination that hangs apart. */
async function relay(): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'alcove-bench-'))
  await withEngine(dataDir, [], async (engine) => {
    for (const url of urls) await engine.administration.destinations.create({ url, eventTypes: null })
    for (let event = 0; event < EVENTS; event += 1) await recordOne(engine)
  })
  const received = countOf(EVENTS * HEALTHY)
  const began = performance.now()
  return await withEngine(dataDir, ['relay'], async () => {
    await received
    return rate(EVENTS * HEALTHY, began)
  }).finally(() => rm(dataDir, { recursive: true }))
}

/** The same bodies to the same receivers, and nothing else. */
async function postBare(): Promise<number> {
  const secureContext = createSecureContext({ ca })
  const body = Buffer.from(
    JSON.stringify({ id: 'evt_0', data: { agentId: 1, name: 'An agent' }, padding: 'x'.repeat(120) }),
  )
  const healthy = urls.slice(0, HEALTHY)
  let sent = 0
  const post = async (): Promise<void> => {
    while (sent < EVENTS * HEALTHY) {
      const url = healthy[sent % HEALTHY] ?? ''
      sent += 1
      await new Promise<void>((resolve, reject) => {
        // An option of the socket, which passes through node:https but is not in its types.
        const socket: object = { secureContext }
        const headers = { 'content-type': 'application/json', 'content-length': body.length }
        request(url, { ...socket, method: 'POST', agent: false, headers }, (response) => {
          response.resume().on('end', resolve)
        })
          .on('error', reject)
          .end(body)
      })
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: BARE_CONCURRENCY }, post))
  return rate(EVENTS * HEALTHY, began)
}

/** From the commit of an event to its request at the receiver, by the clock of the machine. */
async function timeToFirstByte(): Promise<number[]> {
  return await withNewEngine(['relay'], async (engine) => {
    await engine.administration.destinations.create({ url: urls[0] ?? '', eventTypes: null })
    const times: number[] = []
    for (let event = 0; event < SINGLES; event += 1) {
      const received = countOf(1)
      await recordOne(engine)
      const committed = Date.now()
      times.push((await received) - committed)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return times
  })
}

async function withNewEngine<T>(roles: readonly Role[], work: (engine: Engine) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'alcove-bench-'))
  return await withEngine(dataDir, roles, work).finally(() => rm(dataDir, { recursive: true }))
}

async function withEngine<T>(
  dataDir: string,
  roles: readonly Role[],
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const engine = await openLocalEngine({
    dataDir,
    roles,
    embeddingModels: [new MemoryEmbeddingModel()],
    webhooks: { allow: ['127.0.0.1'], certificateAuthorities: [ca] },
  })
  try {
    return await work(engine)
  } finally {
    await engine.close()
  }
}

async function recordOne(engine: Engine): Promise<void> {
  const { companyId } = engine.owner
  await engine.events.record({ type: 'agent.created', data: { agentId: 1, name: 'An agent' }, companyId })
}

/** When, by the clock of the machine, so many requests more have come. */
async function countOf(count: number): Promise<number> {
  receivers.send(count)
  return (await messageOf(receivers)) as number
}

function rate(count: number, began: number): number {
  return Math.round(count / ((performance.now() - began) / 1_000))
}
