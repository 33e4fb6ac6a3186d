import { InvalidInputError } from '../../src/index.js'
import type { HeldBytes } from './body-budget.js'
import { HttpError } from './problem.js'

/** The most bytes of a JSON body with long texts. */
export const LARGE_BODY_BYTES = 2_000_000
/** The most bytes of other JSON bodies and of forms: several times the size of their fields. */
export const SMALL_BODY_BYTES = 16_384

/**
 * Reads a JSON body.
 * @param held counts the received bytes
 * @throws InvalidInputError for another content type, and for a body that is not JSON
 * @throws HttpError 408 after 30 seconds, 413 above the limit, and the errors of {@link HeldBytes.grow}
 */
export async function readJson(request: Request, maxBytes: number, held: HeldBytes): Promise<unknown> {
  const type = mediaType(request)
  if (type !== '' && type !== 'application/json' && !/^application\/[\w.+-]+\+json$/.test(type)) {
    throw new InvalidInputError('', 'the content type of the body must be application/json')
  }
  const text = await readText(request, maxBytes, held)
  if (text.trim() === '') throw new InvalidInputError('', 'the body must be a JSON object')
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new InvalidInputError('', 'the body is not valid JSON')
  }
}

/** Reads a body of UTF-8 text. Throws the same errors as {@link readJson}. */
export async function readText(request: Request, maxBytes: number, held?: HeldBytes): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const bytes = await readBytes(request, maxBytes, held)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new InvalidInputError('', 'the body is not valid UTF-8')
  }
}

/** The whole body must arrive within this time, so that a slow or silent client does not keep a connection forever. */
const MAX_WAIT_MS = 30_000

async function readBytes(request: Request, maxBytes: number, held: HeldBytes | undefined): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array()
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(tooSlow()), MAX_WAIT_MS)
  })
  try {
    return await readPieces(request.body.getReader(), maxBytes, timeout, held)
  } catch (error) {
    if (error instanceof HttpError) throw error
    throw new InvalidInputError('', 'the body ended too early')
  } finally {
    clearTimeout(timer)
    held?.free()
  }
}

const FIRST_BYTES = 4_096

async function readPieces(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
  timeout: Promise<never>,
  held: HeldBytes | undefined,
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
      const length = Math.min(maxBytes, Math.max(end, buffer.length * 2))
      held?.grow(length)
      const larger = new Uint8Array(length)
      larger.set(buffer.subarray(0, size))
      buffer = larger
    }
    buffer.set(value, size)
    size = end
  }
}

/** The content type without its parameters, in lower case; empty if the request has none. */
export function mediaType(request: Request): string {
  return (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

function tooLarge(maxBytes: number): HttpError {
  return new HttpError(413, 'ERR_BODY_TOO_LARGE', `the body must have at most ${maxBytes} bytes`)
}

function tooSlow(): HttpError {
  return new HttpError(408, 'ERR_TOO_SLOW', `the body must arrive within ${MAX_WAIT_MS / 1_000} seconds`)
}
