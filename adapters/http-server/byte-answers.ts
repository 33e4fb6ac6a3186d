import { setImmediate } from 'node:timers/promises'
import type { Call } from './route.js'

/** The call's members that an answer of bytes needs. */
type StreamMembers = 'request' | 'requireRights' | 'reportAbort' | 'isChunked'

/** The policy of an answer with bytes of a user: no page, script or frame of this server comes from them. */
const POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'"

/**
 * An answer with the bytes of a user. It reads a piece when the client has taken the last one, and checks the caller's
 * rights before each. If the client leaves, it stops reading.
 *
 * An error before the first piece is thrown. A later error aborts the body and is logged.
 */
export async function streamBytes(
  { request, requireRights, reportAbort, isChunked }: Pick<Call<unknown, unknown, unknown>, StreamMembers>,
  pieces: AsyncIterable<Uint8Array>,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const iterator = pieces[Symbol.asyncIterator]()
  let first: IteratorResult<Uint8Array> | undefined = await iterator.next()
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          // The server's library sends the status only after the pieces that are there at once, and 500 if one of them
          // fails. So none is.
          if (first === undefined) await requireRights()
          else await setImmediate()
          let piece = first ?? (await iterator.next())
          first = undefined
          // A stream ignores an empty piece, and asks for no other one.
          while (piece.done !== true && piece.value.length === 0) piece = await iterator.next()
          if (piece.done === true) controller.close()
          else controller.enqueue(piece.value)
        } catch (error) {
          if (!request.signal.aborted) reportAbort(error)
          await iterator.return?.()
          // A server may print this error, so it says nothing about the cause.
          controller.error(new Error('the body was aborted: see http.request.failed in the log'))
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
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      ...headers,
      // Without this the server reads ahead to find the length of a short body.
      ...(isChunked && headers['content-length'] === undefined && { 'transfer-encoding': 'chunked' }),
    },
  })
}

/** Encodes text in UTF-8. Half a surrogate pair at either end becomes U+FFFD. */
export async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const text of texts) yield encoder.encode(text)
}
