import { readBytes } from '../../../src/ports/index.js'
import { HttpRefusal } from './refusals.js'

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
  const message = parse(await readBody(request, maxBytes))
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

async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  const limits = { maxBytes, maxWaitMs: MAX_WAIT_MS, tooLarge: () => tooLarge(maxBytes), tooSlow }
  try {
    return await readBytes(request.body, limits)
  } catch (error) {
    if (error instanceof HttpRefusal) throw error
    throw new HttpRefusal(400, 'ERR_INVALID_INPUT', 'the body ended too early')
  }
}

function tooLarge(maxBytes: number): HttpRefusal {
  return new HttpRefusal(413, 'ERR_BODY_TOO_LARGE', `the body must have at most ${maxBytes} bytes`)
}

function tooSlow(): HttpRefusal {
  return new HttpRefusal(408, 'ERR_TOO_SLOW', `the body must arrive within ${MAX_WAIT_MS / 1_000} seconds`)
}
