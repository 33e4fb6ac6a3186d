import type { ListPage } from '../../src/index.js'
import type { Call } from './route.js'

/** Characters of JSON that are sent at once, where rows are small. */
const CHUNK_CHARACTERS = 16_384

/**
 * An answer with a JSON array whose items are read as the client takes them: it costs the memory of a few items. A
 * page with another one behind it names that in `Link`.
 *
 * What fails before the first item is thrown. What fails later breaks the body off, and is logged.
 */
export async function streamList<Item>(
  { request, mayGoOn, brokenOff, isChunked }: Pick<Call<unknown, unknown, unknown>, StreamMembers>,
  { items, nextAfter }: ListPage<Item>,
): Promise<Response> {
  const iterator = items[Symbol.asyncIterator]()
  let next: IteratorResult<Item> | undefined = await iterator.next()
  let isBegun = false
  const read = async (): Promise<IteratorResult<Item>> => {
    const row = next ?? (await iterator.next())
    next = undefined
    return row
  }
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          if (isBegun) await mayGoOn()
          let text = ''
          while (text.length < CHUNK_CHARACTERS) {
            const row = await read()
            if (row.done === true) {
              controller.enqueue(toBytes(`${isBegun ? text : '['}]`))
              controller.close()
              return
            }
            text += `${isBegun ? ',' : '['}${JSON.stringify(row.value)}`
            isBegun = true
          }
          controller.enqueue(toBytes(text))
        } catch (error) {
          if (!request.signal.aborted) brokenOff(error)
          // A server may print it.
          controller.error(new Error('the list broke off: the log of requests says why'))
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
      // The server would otherwise read ahead, to tell the length of what is short.
      ...(isChunked && { 'transfer-encoding': 'chunked' }),
    },
  })
}

type StreamMembers = 'request' | 'mayGoOn' | 'brokenOff' | 'isChunked'

/** From the root of the server, so that it holds behind whatever name the server has. */
function nextUrl(request: Request, after: number): string {
  const url = new URL(request.url)
  url.searchParams.set('after', String(after))
  return url.pathname + url.search
}

function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
