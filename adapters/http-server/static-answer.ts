const PIECE_BYTES = 65_536

/** A JSON document without private data, for all clients and for pages of any origin. */
export function publicDocument(value: object, cacheControl: string): Response {
  return Response.json(value, { headers: { 'cache-control': cacheControl, 'access-control-allow-origin': '*' } })
}

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
