import { InvalidInputError } from '../../src/index.js'
import type { HeldBytes } from './body-budget.js'
import { HttpError } from './problem.js'

/** Most bytes of a body with long texts in it. */
export const LARGE_BODY_BYTES = 2_000_000
/** Most bytes of other JSON bodies, and of forms: several times what their fields can hold. */
export const SMALL_BODY_BYTES = 16_384

/**
 * Reads a JSON body.
 * @param held counts what is received
 * @throws InvalidInputError for another content type, and for what is not JSON
 * @throws HttpError 408 after 30 seconds, 413, and as {@link HeldBytes.grow}
 */
export async function readJson(request: Request, mostBytes: number, held: HeldBytes): Promise<unknown> {
  const type = mediaType(request)
  if (type !== '' && type !== 'application/json' && !/^application\/[\w.+-]+\+json$/.test(type)) {
    throw new InvalidInputError('', 'the content type of the body must be application/json')
  }
  const text = await readText(request, mostBytes, held)
  if (text.trim() === '') throw new InvalidInputError('', 'a JSON object is required as body')
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new InvalidInputError('', 'the body is not valid JSON')
  }
}

/** Reads a body of UTF-8 text. @throws InvalidInputError @throws HttpError 408, 413, and as {@link HeldBytes.grow} */
export async function readText(request: Request, mostBytes: number, held?: HeldBytes): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > mostBytes) throw tooLarge(mostBytes)
  const bytes = await readBytes(request, mostBytes, held)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new InvalidInputError('', 'the body is not valid UTF-8')
  }
}

/** The whole body arrives within this time: one that drips, or never comes, must not hold a connection for ever. */
const PATIENCE_MS = 30_000

async function readBytes(request: Request, mostBytes: number, held: HeldBytes | undefined): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(tooSlow()), PATIENCE_MS)
  })
  try {
    return await readPieces(request.body.getReader(), mostBytes, late, held)
  } catch (error) {
    if (error instanceof HttpError) throw error
    throw new InvalidInputError('', 'the body was cut off')
  } finally {
    clearTimeout(timer)
    held?.free()
  }
}

const FIRST_BYTES = 4_096

async function readPieces(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  mostBytes: number,
  late: Promise<never>,
  held: HeldBytes | undefined,
): Promise<Uint8Array> {
  // One buffer that doubles: pieces of a few bytes each would take many times their size.
  let buffer = new Uint8Array(FIRST_BYTES)
  let size = 0
  for (;;) {
    const { done, value } = await Promise.race([reader.read(), late])
    if (done) return buffer.subarray(0, size)
    const end = size + value.byteLength
    if (end > mostBytes) throw tooLarge(mostBytes)
    if (end > buffer.length) {
      const length = Math.min(mostBytes, Math.max(end, buffer.length * 2))
      held?.grow(length)
      const larger = new Uint8Array(length)
      larger.set(buffer.subarray(0, size))
      buffer = larger
    }
    buffer.set(value, size)
    size = end
  }
}

/** The content type without its parameters, in lower case; empty where there is none. */
export function mediaType(request: Request): string {
  return (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

function tooLarge(mostBytes: number): HttpError {
  return new HttpError(413, 'ERR_BODY_TOO_LARGE', `the body must have at most ${mostBytes} bytes`)
}

function tooSlow(): HttpError {
  return new HttpError(408, 'ERR_TOO_SLOW', `the body must arrive within ${PATIENCE_MS / 1_000} seconds`)
}
