/**
 * P7: the cost of recording an event, and the speed of the relay, on SQLite. The relay sends to ten destinations on
 * this machine, one of which hangs, and to the other nine alone. Beside it, bare `node:https` POSTs send the same, each
 * over a new connection.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import { MemoryEmbeddingModel } from '../../dist/adapters/memory/index.js'
import type { Engine } from '../../dist/src/index.js'
import { messageOf } from '../harness/child-message.js'
import { figureOf, inTurn, mediansOf, quantile, timesOf } from '../harness/measure.js'
import { writeReport } from '../harness/report.js'
import { withFolder } from '../harness/with-folder.js'
import type { Arrivals, Receivers } from './event-receivers.js'

const isQuick = process.argv.includes('--quick')
/** No relay sends these deliveries. More of them would wait, and change the time of recording. */
const RUNS = isQuick ? 10 : 100
const EVENTS = isQuick ? 10 : 300
const SINGLES = isQuick ? 5 : 100
const HEALTHY = 9
/** The number of requests that the relay has in progress to nine destinations. */
const BARE_CONCURRENCY = 72
const ROUNDS = isQuick ? 1 : 5
const DESTINATIONS = [0, 10, 100]

type Role = 'ingest' | 'relay'

const receivers: ChildProcess = fork(join(import.meta.dirname, 'event-receivers.ts'), [String(HEALTHY)], {
  execArgv: ['--import', 'tsx'],
})
const { ca, ports } = (await messageOf(receivers)) as Receivers
const urls = ports.map((port) => `https://127.0.0.1:${port}/`)
const healthy = urls.slice(0, HEALTHY)

let recorded: number[] = []
let delivered: Arrivals
let [perSecond, barePerSecond] = [Number.NaN, Number.NaN]
let [resumedPerSecond, unhinderedPerSecond] = [Number.NaN, Number.NaN]
let untilRequest: number[] = []
const measured = async () => ({
  recording: await inTurn(
    ROUNDS,
    DESTINATIONS.flatMap((count) => [
      { name: `p50 ${count}`, run: async () => quantile((recorded = await record(count)), 0.5) },
      { name: `p95 ${count}`, run: () => quantile(recorded, 0.95) },
    ]),
  ),
  delivery: await inTurn(ROUNDS, [
    { name: 'deliveries/s', run: async () => (perSecond = rateOf((delivered = await relay(urls)))) },
    { name: 'bare POSTs/s', run: async () => (barePerSecond = rateOf(await postBare(delivered))) },
    { name: 'ratio', run: () => perSecond / barePerSecond },
    {
      name: 'bare POSTs/s that resume TLS sessions',
      run: async () => (resumedPerSecond = rateOf(await postBare(delivered, new Agent({ keepAlive: false })))),
    },
    { name: 'ratio to those that resume', run: () => perSecond / resumedPerSecond },
    { name: 'deliveries/s, none hanging', run: async () => (unhinderedPerSecond = rateOf(await relay(healthy))) },
    { name: 'ratio to none hanging', run: () => perSecond / unhinderedPerSecond },
    { name: 'commit to request, p50 ms', run: async () => quantile((untilRequest = await timesToRequest()), 0.5) },
    { name: 'commit to request, p95 ms', run: () => quantile(untilRequest, 0.95) },
  ]),
})
const figures = await measured().finally(() => receivers.kill())
const recording = DESTINATIONS.map((count) => ({
  what: `record an event with ${count} destinations`,
  p50Ms: figureOf(figures.recording, `p50 ${count}`),
  p95Ms: figureOf(figures.recording, `p95 ${count}`),
}))
console.table(recording.map(mediansOf))
console.table([...figures.delivery].map(([figure, { median }]) => ({ figure, median })))
// A smoke test runs beside other work, so its figures do not count.
if (!isQuick) writeReport('events', { recording, delivery: Object.fromEntries(figures.delivery) })

/** Times of recording alone: no relay runs at the same time. */
async function record(destinations: number): Promise<number[]> {
  return await withFolder((dataDir) =>
    withEngine(dataDir, [], async (engine) => {
      for (let number = 0; number < destinations; number += 1) {
        await engine.administration.destinations.create({ url: `${urls[0]}${number}`, eventTypes: null })
      }
      return await timesOf(RUNS, () => recordOne(engine))
    }),
  )
}

/** Delivers events that wait, like the bare POSTs. Deliveries to the destination that hangs do not count. */
async function relay(destinations: readonly string[]): Promise<Arrivals> {
  return await withFolder(async (dataDir) => {
    await withEngine(dataDir, [], async (engine) => {
      for (const url of destinations) await engine.administration.destinations.create({ url, eventTypes: null })
      for (let event = 0; event < EVENTS; event += 1) await recordOne(engine)
    })
    const arrivals = arrivalsOf(EVENTS * HEALTHY)
    return await withEngine(dataDir, ['relay'], () => arrivals)
  })
}

/**
 * Sends the body and the headers of a delivery to the same receivers, and keeps nothing.
 * @param agent opens a new connection for each request; default: no agent
 */
async function postBare(
  { body, headers: { host: _ofAnother, ...headers } }: Arrivals,
  agent: Agent | false = false,
): Promise<Arrivals> {
  const secureContext = createSecureContext({ ca })
  let sent = 0
  const post = async (): Promise<void> => {
    while (sent < EVENTS * HEALTHY) {
      const url = healthy[sent % HEALTHY] ?? ''
      sent += 1
      await new Promise<void>((resolve, reject) => {
        // An option of the socket. node:https passes it on, but its types do not have it.
        const socket: object = { secureContext }
        request(url, { ...socket, method: 'POST', agent, headers }, (response) => {
          response.resume().on('end', resolve)
        })
          .on('error', reject)
          .end(body)
      })
    }
  }
  const arrivals = arrivalsOf(EVENTS * HEALTHY)
  await Promise.all(Array.from({ length: BARE_CONCURRENCY }, post))
  return await arrivals
}

/** Times from the commit of an event, when its caller has the answer, to the request at the receiver. */
async function timesToRequest(): Promise<number[]> {
  return await withFolder((dataDir) =>
    withEngine(dataDir, ['relay'], async (engine) => {
      await engine.administration.destinations.create({ url: urls[0] ?? '', eventTypes: null })
      const times: number[] = []
      for (let event = 0; event < SINGLES; event += 1) {
        const arrival = arrivalsOf(1)
        await recordOne(engine)
        const committedAtMs = Date.now()
        times.push((await arrival).firstAtMs - committedAtMs)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      return times
    }),
  )
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

/** Waits until the receivers have had `count` more requests. */
async function arrivalsOf(count: number): Promise<Arrivals> {
  receivers.send(count)
  return (await messageOf(receivers)) as Arrivals
}

/** Requests a second between the first arrival and the last. The start of the sender does not count. */
function rateOf({ firstAtMs, lastAtMs }: Arrivals): number {
  return Math.round((EVENTS * HEALTHY - 1) / ((lastAtMs - firstAtMs) / 1_000))
}
