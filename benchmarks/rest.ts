/**
 * P8: `GET /context/{id}` and searches through the REST API, with one connection and with 64, beside a bare Hono handler
 * that answers the same. What the API adds (routing, validation, and authentication by a token that was seen before) is
 * its median with one connection, less that of the bare handler, less what the engine itself needs.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { messageOf } from './child-message.js'
import { atOnce, figureOf, inTurn, quantile, type Spread } from './measure.js'
import { writeReport } from './report.js'
import type { Asked, Order, RestServer } from './rest-server.js'

const MOST_ADDED_MS = 1
const CONNECTIONS = 64
const isQuick = process.argv.includes('--quick')
const ROUNDS = isQuick ? 1 : 5
const [GETS, SEARCHES] = isQuick ? [20, 5] : [3_000, 1_000]

interface Server extends RestServer {
  readonly name: string
  readonly child: ChildProcess
}

const alcove = await started('alcove', ['alcove'])
const [context, hits] = [await ask(alcove, 'get', new Agent()), await ask(alcove, 'search', new Agent())]
const bare = await started('a bare Hono handler', ['hono', String(alcove.contextId), context, hits])

const rows: {
  readonly name: string
  readonly what: Asked
  readonly p50Ms: Spread
  readonly perSecond: Spread
}[] = []
const added = []
for (const what of ['get', 'search'] as const) {
  const figures = await inTurn(ROUNDS, [
    { name: 'engine', run: () => engineP50Ms(what) },
    ...[alcove, bare].flatMap((server) => [
      { name: server.name, run: async () => quantile((await load(server, what, 1)).times, 0.5) },
      { name: `${server.name}, ${CONNECTIONS}`, run: async () => (await load(server, what, CONNECTIONS)).perSecond },
    ]),
  ])
  const of = (name: string): Spread => figureOf(figures, name)
  for (const { name } of [alcove, bare]) {
    rows.push({ name, what, p50Ms: of(name), perSecond: of(`${name}, ${CONNECTIONS}`) })
  }
  const [restMs, bareMs, engineMs] = [of(alcove.name).median, of(bare.name).median, of('engine').median]
  const addedMs = Math.round((restMs - bareMs - engineMs) * 100) / 100
  added.push({ what, restMs, bareMs, engineMs, addedMs })
}
console.table(
  rows.map(({ p50Ms, perSecond, ...row }) => ({
    ...row,
    'p50 ms, 1 connection': p50Ms.median,
    [`requests/s, ${CONNECTIONS}`]: perSecond.median,
  })),
)
console.table(added)
for (const { child } of [alcove, bare]) child.send('close' satisfies Order)
if (!isQuick) {
  writeReport('rest', { rows, added })
  if (added.some(({ addedMs }) => addedMs > MOST_ADDED_MS)) {
    console.error(`the API adds more than ${MOST_ADDED_MS} ms at the median`)
    process.exitCode = 1
  }
}

async function started(name: string, args: readonly string[]): Promise<Server> {
  const child = fork(join(import.meta.dirname, 'rest-server.ts'), isQuick ? [...args, '--quick'] : args, {
    execArgv: ['--import', 'tsx'],
  })
  const server = (await messageOf(child)) as RestServer
  return { name, child, ...server }
}

async function engineP50Ms(what: Asked): Promise<number> {
  const told = messageOf(alcove.child)
  alcove.child.send(what satisfies Order)
  return (await told) as number
}

async function load(server: Server, what: Asked, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const loaded = await atOnce(connections, what === 'get' ? GETS : SEARCHES, (number) =>
    ask(server, what, agent, number),
  )
  agent.destroy()
  return loaded
}

async function ask({ url, contextId, authorization }: Server, what: Asked, agent: Agent, number = 0): Promise<string> {
  const body = JSON.stringify({ prompt: `who mends the lamp of room ${number}?` })
  const [path, method] =
    what === 'get' ? [`/context/${contextId}`, 'GET'] : [`/context/relevant-docs/${contextId}`, 'POST']
  const headers = {
    authorization,
    ...(method === 'POST' && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  }
  return await new Promise((resolve, reject) => {
    request(`${url}${path}`, { method, agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      response.on('end', () => {
        if (response.statusCode === 200) resolve(text)
        else reject(new Error(`${method} ${path} answers ${String(response.statusCode)}: ${text}`))
      })
    })
      .on('error', reject)
      .end(method === 'POST' ? body : undefined)
  })
}
