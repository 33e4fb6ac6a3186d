/**
 * A server in a process of its own. `rest-server.ts alcove` is the REST API over an engine with a context of 200
 * documents. `rest-server.ts hono` is a bare handler with the same answers. The server sends its address to its parent,
 * and ends when it is disconnected.
 */
import { on } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createHttpHandler, serveHttp } from '../../dist/adapters/http-server/index.js'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import type { Engine } from '../../dist/src/index.js'
import { quantile, timesOf } from '../harness/measure.js'

/** The address of a server, and the values that a request needs. */
export interface RestServer {
  readonly url: string
  readonly contextId: number
  readonly authorization: string
}

/** The kind of call. A server that gets it as a message measures the engine's own time for it, in its own process. */
export type Asked = 'get' | 'search'

const isQuick = process.argv.includes('--quick')
const [DOCUMENTS, CALLS] = isQuick ? [10, 10] : [200, 300]
/** The calls that warm up the server. */
const WARM_UP_CALLS = isQuick ? 1 : 1_000

if (process.argv[2] === 'alcove') await alcove()
else bare(Number(process.argv[3]), process.argv[4] ?? '', process.argv[5] ?? '')

async function alcove(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'alcove-rest-'))
  try {
    const engine = await openLocalEngine({ dataDir, limits: { searchesPerKey: 64 } })
    try {
      await serveEngine(engine)
    } finally {
      await engine.close()
    }
  } finally {
    await rm(dataDir, { recursive: true })
  }
}

/** Serves until the parent disconnects. */
async function serveEngine(engine: Engine): Promise<void> {
  // The listener is added first, because the parent may disconnect while the documents are ingested.
  const orders = on(process, 'message', { close: ['disconnect'] }) as AsyncIterable<[Asked]>
  const session = engine.as(engine.owner)
  const { id } = await session.contexts.create({ name: 'Notes', description: '', caption: '', toolsJson: '[]' })
  const uuids = await Promise.all(
    Array.from({ length: DOCUMENTS }, (_, number) => {
      const content = Buffer.from(`Note ${number}: the lamp of room ${number * 7} is mended by the janitor.`)
      return session.documents.upload(id, { fileName: `${number}.txt`, content })
    }),
  )
  for (const uuid of uuids) await session.documents.whenProcessed(uuid)
  const server = await serveHttp(createHttpHandler(engine), { port: 0 })
  try {
    const url = server.address
    const authorization = `Bearer ${await newToken(engine, url)}`
    await timesOf(WARM_UP_CALLS, () => session.contexts.get(id))
    const work: Readonly<Record<Asked, (call: number) => Promise<unknown>>> = {
      get: () => session.contexts.get(id),
      search: (call) => session.search(id, `who mends the lamp of room ${call}?`),
    }
    sendToParent({ url, contextId: id, authorization } satisfies RestServer)
    for await (const [asked] of orders) {
      sendToParent(quantile(await timesOf(CALLS, work[asked]), 0.5))
    }
  } finally {
    await server.close()
  }
}

async function newToken(engine: Engine, url: string): Promise<string> {
  const { companyId, userId } = engine.owner
  const key = await engine.administration.apiKeys.create({ companyId, userId, targets: ['assistant'] })
  const form = { grant_type: 'client_credentials', target_app: 'assistant' }
  const body = new URLSearchParams({ ...form, client_id: key.clientId, client_secret: key.clientSecret })
  const answer = await fetch(`${url}/connect/token`, { method: 'POST', body })
  const { access_token: token } = (await answer.json()) as { readonly access_token: string }
  return token
}

/** A bare handler that only sends the same answers. */
function bare(contextId: number, context: string, hits: string): void {
  const [one, many] = [JSON.parse(context), JSON.parse(hits)] as [object, object[]]
  const app = new Hono()
    .get('/context/:contextId', (call) => call.json(one))
    .post('/context/relevant-docs/:contextId', async (call) => {
      await call.req.json()
      return call.json(many)
    })
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }: AddressInfo) => {
    sendToParent({ url: `http://127.0.0.1:${port}`, contextId, authorization: 'Bearer none' } satisfies RestServer)
  })
  process.once('disconnect', () => server.close())
}

/** Sends a message to the parent, unless it has disconnected. */
function sendToParent(message: RestServer | number): void {
  if (process.connected) process.send?.(message)
}
