import type { ListPage } from '../../src/index.js'
import type { Call } from './route.js'

export function json(value: unknown, status = 200): Response {
  return Response.json(value, { status })
}

/** An answer with a secret in its JSON body: no cache may store it. */
export function secretJson(value: unknown, status = 200): Response {
  return Response.json(value, { status, headers: { 'cache-control': 'no-store' } })
}

export function noContent(): Response {
  return new Response(null, { status: 204 })
}

/** An HTML page. Its policy forbids content of other servers, and frames around it. */
export function page(html: string, policy: string, status = 200): Response {
  return new Response(html, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; ${policy}; base-uri 'none'; frame-ancestors 'none'`,
      'cache-control': 'no-store',
    },
  })
}

/** A JSON document without private data, for all clients and for pages of any origin. */
export function publicDocument(value: object, cacheControl: string): Response {
  return Response.json(value, { headers: { 'cache-control': cacheControl, 'access-control-allow-origin': '*' } })
}

const PIECE_BYTES = 65_536

/**
 * An answer with bytes that are the same for all clients. It sends them in pieces as the client reads, so that a client
 * that does not read costs no copy of them.
 */
export function staticAnswer(bytes: Uint8Array, contentType: string, maxAgeSeconds: number): Response {
  let sent = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (sent >= bytes.byteLength) controller.close()
        else controller.enqueue(bytes.slice(sent, sent + PIECE_BYTES))
        sent += PIECE_BYTES
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, {
    headers: {
      'content-type': contentType,
      'content-length': String(bytes.byteLength),
      'cache-control': `public, max-age=${maxAgeSeconds}`,
    },
  })
}

/** The least characters of JSON in one piece of the body: about one read of a list. */
const CHUNK_CHARACTERS = 65_536

/**
 * An answer with a JSON array. It reads items only as fast as the client takes them, so it costs the memory of a few
 * items. The header `Link` names the next page if one exists.
 *
 * An error before the first item is thrown. A later error aborts the body and is logged.
 */
export async function streamList<Item>(
  { request, requireRights, reportAbort, isChunked }: Pick<Call<unknown, unknown, unknown>, StreamMembers>,
  { items, nextAfter, nextAfterName }: ListPage<Item> & { readonly nextAfterName?: string | null },
): Promise<Response> {
  const iterator = items[Symbol.asyncIterator]()
  let first: IteratorResult<Item> | undefined = await iterator.next()
  let hasStarted = false
  const readItem = async (): Promise<IteratorResult<Item>> => {
    const item = first ?? (await iterator.next())
    first = undefined
    return item
  }
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          if (hasStarted) await requireRights()
          let text = ''
          while (text.length < CHUNK_CHARACTERS) {
            const item = await readItem()
            if (item.done === true) {
              controller.enqueue(toBytes(`${hasStarted ? text : '['}]`))
              controller.close()
              return
            }
            text += `${hasStarted ? ',' : '['}${JSON.stringify(item.value)}`
            hasStarted = true
          }
          controller.enqueue(toBytes(text))
        } catch (error) {
          if (!request.signal.aborted) reportAbort(error)
          // A server may print this error, so it says nothing about the cause.
          controller.error(new Error('the list was aborted: see http.request.failed in the log'))
        }
      },
      cancel: async () => {
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, {
    headers: {
      'content-type': 'application/json',
      ...(nextAfter !== null && { link: `<${nextUrl(request, nextAfter, nextAfterName)}>; rel="next"` }),
      // Without this the server reads ahead to find the length of a short body.
      ...(isChunked && { 'transfer-encoding': 'chunked' }),
    },
  })
}

type StreamMembers = 'request' | 'requireRights' | 'reportAbort' | 'isChunked'

/** A path without host, so that it is right under every name of the server. */
function nextUrl(request: Request, after: number, afterName: string | null = null): string {
  const url = new URL(request.url)
  url.searchParams.set('after', String(after))
  if (afterName !== null) url.searchParams.set('afterName', afterName)
  return url.pathname + url.search
}

function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
