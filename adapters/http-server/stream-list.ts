import type { ListPage } from '../../src/index.js'
import type { Call } from './route.js'

/** The least characters of JSON in one piece of the body. */
const CHUNK_CHARACTERS = 16_384

/**
 * An answer with a JSON array. It reads items only as fast as the client takes them, so it costs the memory of a few
 * items. The header `Link` names the next page if one exists.
 *
 * An error before the first item is thrown. A later error aborts the body and is logged.
 */
export async function streamList<Item>(
  { request, requireRights, reportAbort, isChunked }: Pick<Call<unknown, unknown, unknown>, StreamMembers>,
  { items, nextAfter }: ListPage<Item>,
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
      ...(nextAfter !== null && { link: `<${nextUrl(request, nextAfter)}>; rel="next"` }),
      // Without this the server reads ahead to find the length of a short body.
      ...(isChunked && { 'transfer-encoding': 'chunked' }),
    },
  })
}

type StreamMembers = 'request' | 'requireRights' | 'reportAbort' | 'isChunked'

/** A path without host, so that it is right under every name of the server. */
function nextUrl(request: Request, after: number): string {
  const url = new URL(request.url)
  url.searchParams.set('after', String(after))
  return url.pathname + url.search
}

function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
