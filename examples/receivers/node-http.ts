/**
 * A receiver of webhooks on Node's own server, without any framework.
 *
 *     PORT=8788 WEBHOOK_SECRET=whsec_… npx tsx examples/receivers/node-http.ts
 *
 * Webhooks are sent over HTTPS only: put it behind what ends TLS for you, or name the files of a certificate
 * and its key in TLS_CERT and TLS_KEY.
 */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { WebhookEvent } from 'alcove/webhooks'
import { MAX_BODY_BYTES, WebhookReceiver } from './webhook-receiver.js'

const { PORT = '8788', WEBHOOK_SECRET: secret = '', TLS_CERT: cert, TLS_KEY: key } = process.env
if (secret === '') {
  console.error('WEBHOOK_SECRET is missing: it is the signing secret of the destination')
  process.exit(2)
}

const receiver = new WebhookReceiver({ secret, act })

const listener: RequestListener = (request, response) => {
  answerTo(request).then(
    (status) => response.writeHead(status, status === 405 ? { allow: 'POST' } : {}).end(),
    // The sender has gone in the middle of its body.
    () => response.destroy(),
  )
}
// A body that never ends is cut off.
const limits = { requestTimeout: 10_000, connectionsCheckingInterval: 5_000 }
const server =
  cert === undefined && key === undefined
    ? createServer(limits, listener)
    : createTlsServer({ ...limits, cert: readFileSync(cert ?? ''), key: readFileSync(key ?? '') }, listener)
server.listen(Number(PORT), () => {
  console.log(`listening on port ${(server.address() as AddressInfo).port}`)
})

/** Acts on an event. It discards events of other types. */
function act(event: WebhookEvent): void {
  if (event.type === 'run.completed' || event.type === 'run.failed') {
    console.log(`run ${event.data.jobKey} ${event.data.success ? 'succeeded' : 'failed'}`)
  } else if (event.type === 'agent.created') {
    console.log(`agent ${event.data.agentId} is called ${event.data.name}`)
  }
}

/** @returns the status of the answer */
async function answerTo(request: IncomingMessage): Promise<number> {
  if (request.method !== 'POST') return 405
  const body = await readBody(request)
  // A header that came twice is one text in `headers`, and two in `headersDistinct`.
  return body === undefined ? 413 : await receiver.receive(body, request.headersDistinct)
}

/** The body byte for byte, or `undefined` if it is too large: nothing of the rest is kept. */
async function readBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) {
      request.resume()
      return undefined
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
