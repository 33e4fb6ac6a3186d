/**
 * P8: `GET /context/{id}` and searches through the REST API, with one connection and with 64, beside a bare Hono handler
 * that answers the same. What the API adds is its median with one connection, less that of the bare handler, less what
 * the engine itself needs: authentication, permission checks, routing, validation.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { messageOf } from './child-message.js'
import { atOnce, quantile, type Spread, spreadOf } from './measure.js'
import { writeReport } from './report.js'
import type { RestServer } from './rest-server.js'

const MOST_ADDED_MS = 1
const CONNECTIONS = 64
const isQuick = process.argv.includes('--quick')
const ROUNDS = isQuick ? 1 : 5
const [GETS, SEARCHES] = isQuick ? [20, 5] : [3_000, 1_000]

interface Asked extends RestServer {
  readonly name: string
  readonly child: ChildProcess
}

const alcove = await started('alcove', ['alcove'])
const [context, hits] = [await ask(alcove, 'get', new Agent()), await ask(alcove, 'search', new Agent())]
const bare = await started('a bare Hono handler', ['hono', String(alcove.contextId), context, hits])

const rows: {
  readonly name: string
  readonly what: 'get' | 'search'
  readonly p50Ms: Spread
  readonly perSecond: Spread
}[] = []
for (const what of ['get', 'search'] as const) {
  const figures = new Map(
    [alcove, bare].map(({ name }) => [name, { p50Ms: [] as number[], perSecond: [] as number[] }]),
  )
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const server of [alcove, bare]) {
      const figure = figures.get(server.name)
      figure?.p50Ms.push(quantile((await load(server, what, 1)).times, 0.5))
      figure?.perSecond.push((await load(server, what, CONNECTIONS)).perSecond)
    }
  }
  for (const [name, { p50Ms, perSecond }] of figures) {
    rows.push({ name, what, p50Ms: spreadOf(p50Ms), perSecond: spreadOf(perSecond) })
  }
}
const p50Of = (name: string, of: string): number =>
  rows.find((row) => row.name === name && row.what === of)?.p50Ms.median ?? Number.NaN
const added = (['get', 'search'] as const).map((what) => {
  const [restMs, bareMs, engineMs] = [
    p50Of(alcove.name, what),
    p50Of(bare.name, what),
    alcove.engineP50Ms?.[what] ?? Number.NaN,
  ]
  return { what, restMs, bareMs, engineMs, addedMs: Math.round((restMs - bareMs - engineMs) * 100) / 100 }
})
console.table(
  rows.map(({ p50Ms, perSecond, ...row }) => ({
    ...row,
    'p50 ms, 1 connection': p50Ms.median,
    [`requests/s, ${CONNECTIONS}`]: perSecond.median,
  })),
)
console.table(added)
for (const { child } of [alcove, bare]) child.send('close')
if (!isQuick) {
  writeReport('rest', { rows, added })
  if (added.some(({ addedMs }) => addedMs > MOST_ADDED_MS)) {
    console.error(`the API adds more than ${MOST_ADDED_MS} ms at the median`)
    process.exitCode = 1
  }
}

async function started(name: string, args: readonly string[]): Promise<Asked> {
  const child = fork(join(import.meta.dirname, 'rest-server.ts'), isQuick ? [...args, '--quick'] : args, {
    execArgv: ['--import', 'tsx'],
  })
  const server = (await messageOf(child)) as RestServer
  return { name, child, ...server }
}

async function load(server: Asked, what: 'get' | 'search', connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const loaded = await atOnce(connections, what === 'get' ? GETS : SEARCHES, (number) =>
    ask(server, what, agent, number),
  )
  agent.destroy()
  return loaded
}

async function ask(
  { url, contextId, authorization }: Asked,
  what: 'get' | 'search',
  agent: Agent,
  number = 0,
): Promise<string> {
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
