/**
 * P7: what recording an event costs, and how fast the relay is beside bare `node:https` POSTs with a new
 * connection each, on SQLite: ten destinations on this machine, one of which hangs.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { openLocalEngine } from '../dist/adapters/local/index.js'
import { MemoryEmbeddingModel } from '../dist/adapters/memory/index.js'
import type { Engine } from '../dist/src/index.js'
import { measure, quantile } from './measure.js'
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
const [{ ca, ports }] = (await once(receivers, 'message')) as [Ready]
const urls = ports.map((port) => `https://127.0.0.1:${port}/`)

const recording = [await record(0), await record(10), await record(100)]
console.table(recording)

const rates: { bare: number; relay: number }[] = []
for (let round = 0; round < ROUNDS; round += 1) rates.push({ bare: await postBare(), relay: await relay() })
const [bare, relayed] = [median(rates.map((rate) => rate.bare)), median(rates.map((rate) => rate.relay))]
const firstByteMs = await timeToFirstByte()
const delivery = {
  'bare POSTs/s': bare,
  'deliveries/s': relayed,
  ratio: Math.round((relayed / bare) * 100) / 100,
  'commit to request, median ms': quantile(firstByteMs, 0.5),
  'p95 ms': quantile(firstByteMs, 0.95),
}
console.table([delivery])
receivers.kill()
if (!isQuick) writeReport('events', { recording, delivery, rates })
// A smoke test runs beside other work, and measures nothing.
if (!isQuick && recording.some(({ medianMs }) => medianMs > RECORD_LIMIT_MS)) {
  console.error(`recording an event takes more than ${RECORD_LIMIT_MS} ms at the median`)
  process.exitCode = 1
}

/** Recording alone: no relay runs beside it. */
async function record(destinations: number) {
  return await withNewEngine([], async (engine) => {
    for (let number = 0; number < destinations; number += 1) {
      await engine.administration.destinations.create({ url: `${urls[0]}${number}`, eventTypes: null })
    }
    return await measure(`record an event with ${destinations} destinations`, RUNS, () => recordOne(engine))
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
  const [at] = (await once(receivers, 'message')) as [number]
  return at
}

function rate(count: number, began: number): number {
  return Math.round(count / ((performance.now() - began) / 1_000))
}

function median(values: readonly number[]): number {
  return Math.round(quantile(values, 0.5))
}
