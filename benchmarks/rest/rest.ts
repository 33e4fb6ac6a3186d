/**
 * P8: `GET /context/{id}` and searches through the REST API, with one connection and with 64. A bare Hono handler with
 * the same answers runs beside them. `overBareMs` is the difference of their medians with one connection; permission
 * checks and reads are a part of it. `addedMs` is `overBareMs` without the engine's own time. This is the share of
 * HTTP: routing, validation, and authentication by a token that the server has seen before.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { messageOf } from '../harness/child-message.js'
import { atOnce, figureOf, inTurn, mediansOf, quantile, type Spread } from '../harness/measure.js'
import { writeReport } from '../harness/report.js'
import type { Asked, RestServer } from './rest-server.js'

const CONNECTIONS = 64
const isQuick = process.argv.includes('--quick')
const ROUNDS = isQuick ? 1 : 5
const [GETS, SEARCHES] = isQuick ? [20, 5] : [3_000, 1_000]

interface Server extends RestServer {
  readonly name: string
  readonly child: ChildProcess
}

const children: ChildProcess[] = []
const compared = await compareAll().finally(() => {
  // The children remove their files and exit. This process waits for them.
  for (const child of children) if (child.connected) child.disconnect()
})
const rows = compared.flatMap(({ servers }) => servers)
const added = compared.map(({ times }) => times)
console.table(rows.map(mediansOf))
console.table(added.map(mediansOf))
if (!isQuick) writeReport('rest', { rows, added })

async function compareAll() {
  const alcove = await started('alcove', ['alcove'])
  const [context, hits] = [await ask(alcove, 'get', new Agent()), await ask(alcove, 'search', new Agent())]
  const bare = await started('a bare Hono handler', ['hono', String(alcove.contextId), context, hits])
  return [await compare('get', alcove, bare), await compare('search', alcove, bare)]
}

/** Each difference is made within one round, so that a slow machine affects both sides. */
async function compare(what: Asked, alcove: Server, bare: Server) {
  let [engineMs, restMs, bareMs] = [Number.NaN, Number.NaN, Number.NaN]
  let loaded: Awaited<ReturnType<typeof load>>
  const withMany = (server: Server) => [
    {
      name: `${server.name}, per second`,
      run: async () => (loaded = await load(server, what, CONNECTIONS)).perSecond,
    },
    { name: `${server.name}, p99`, run: () => quantile(loaded.times, 0.99) },
  ]
  const figures = await inTurn(ROUNDS, [
    { name: 'engine', run: async () => (engineMs = await engineP50Ms(alcove, what)) },
    { name: alcove.name, run: async () => (restMs = quantile((await load(alcove, what, 1)).times, 0.5)) },
    ...withMany(alcove),
    { name: bare.name, run: async () => (bareMs = quantile((await load(bare, what, 1)).times, 0.5)) },
    ...withMany(bare),
    { name: 'over bare', run: () => restMs - bareMs },
    { name: 'added', run: () => restMs - bareMs - engineMs },
  ])
  const of = (name: string): Spread => figureOf(figures, name)
  return {
    servers: [alcove, bare].map(({ name }) => ({
      name,
      what,
      p50Ms: of(name),
      perSecondWith64: of(`${name}, per second`),
      p99MsWith64: of(`${name}, p99`),
    })),
    times: {
      what,
      restMs: of(alcove.name),
      bareMs: of(bare.name),
      engineMs: of('engine'),
      overBareMs: of('over bare'),
      addedMs: of('added'),
    },
  }
}

async function started(name: string, args: readonly string[]): Promise<Server> {
  const child = fork(join(import.meta.dirname, 'rest-server.ts'), isQuick ? [...args, '--quick'] : args, {
    execArgv: ['--import', 'tsx'],
  })
  children.push(child)
  const server = (await messageOf(child)) as RestServer
  return { name, child, ...server }
}

async function engineP50Ms({ child }: Server, what: Asked): Promise<number> {
  const answer = messageOf(child)
  child.send(what)
  return (await answer) as number
}

async function load(server: Server, what: Asked, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const runs = what === 'get' ? GETS : SEARCHES
  const work = atOnce(connections, runs, (number) => ask(server, what, agent, number))
  return await work.finally(() => agent.destroy())
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
