import { HttpRefusal } from './refusals.js'

/** The whole body must arrive within this time, so that a slow or silent client does not keep a connection forever. */
const MAX_WAIT_MS = 30_000
/** The most messages of a batch, which only the revision 2025-03-26 has. All of them run at the same time. */
const MAX_BATCH = 20

/**
 * Reads the JSON of a request.
 *
 * @throws HttpRefusal 408 after 30 seconds, 413 above the limit, 400 for a body that is not JSON or a long batch
 */
export async function readMessage(request: Request, maxBytes: number): Promise<unknown> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const message = parse(await readBytes(request, maxBytes))
  if (!Array.isArray(message) || message.length <= MAX_BATCH) return message
  throw new HttpRefusal(400, 'ERR_INVALID_INPUT', `a batch must have at most ${MAX_BATCH} messages`)
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown
  } catch {
    throw new HttpRefusal(400, 'ERR_INVALID_INPUT', 'the body is not valid JSON')
  }
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array()
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(tooSlow()), MAX_WAIT_MS)
  })
  try {
    return await readPieces(request.body.getReader(), maxBytes, timeout)
  } catch (error) {
    if (error instanceof HttpRefusal) throw error
    throw new HttpRefusal(400, 'ERR_INVALID_INPUT', 'the body ended too early')
  } finally {
    clearTimeout(timer)
  }
}

const FIRST_BYTES = 4_096

async function readPieces(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
  timeout: Promise<never>,
): Promise<Uint8Array> {
  // One buffer that doubles its size: an array of pieces of a few bytes each would take many times their size.
  let buffer = new Uint8Array(FIRST_BYTES)
  let size = 0
  for (;;) {
    const { done, value } = await Promise.race([reader.read(), timeout])
    if (done) return buffer.subarray(0, size)
    const end = size + value.byteLength
    if (end > maxBytes) throw tooLarge(maxBytes)
    if (end > buffer.length) {
      const larger = new Uint8Array(Math.max(end, buffer.length * 2))
      larger.set(buffer.subarray(0, size))
      buffer = larger
    }
    buffer.set(value, size)
    size = end
  }
}

function tooLarge(maxBytes: number): HttpRefusal {
  return new HttpRefusal(413, 'ERR_BODY_TOO_LARGE', `the body must have at most ${maxBytes} bytes`)
}

function tooSlow(): HttpRefusal {
  return new HttpRefusal(408, 'ERR_TOO_SLOW', `the body must arrive within ${MAX_WAIT_MS / 1_000} seconds`)
}
