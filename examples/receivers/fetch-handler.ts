/**
 * A receiver of webhooks as a fetch handler: for Hono (`app.post('/webhooks', ({ req }) => handler(req.raw))`),
 * Next (`export const POST = handler`), Deno (`Deno.serve(handler)`) and everything else that speaks fetch.
 *
 *     const handler = fetchHandler({ secret, act: (event) => console.log(event.type) })
 */
import { MAX_BODY_BYTES, WebhookReceiver, type WebhookReceiverOptions } from './webhook-receiver.js'

export function fetchHandler(options: WebhookReceiverOptions): (request: Request) => Promise<Response> {
  const receiver = new WebhookReceiver(options)
  return async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } })
    const body = await readBody(request)
    const status = body === undefined ? 413 : await receiver.receive(body, request.headers)
    return new Response(null, { status })
  }
}

/** The body byte for byte, or `undefined` if it is too large. Only bytes that came count, not its header. */
async function readBody(request: Request): Promise<Uint8Array | undefined> {
  const stream: AsyncIterable<Uint8Array<ArrayBuffer>> | null = request.body
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const chunk of stream ?? []) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}
