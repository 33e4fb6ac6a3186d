import { InvalidInputError } from '../../src/index.js'
import { HttpError } from './problem.js'

/** Most bytes of a JSON body (decision 2). */
const MOST_JSON_BYTES = 2_000_000

/**
 * Reads a JSON body.
 * @throws InvalidInputError for another content type, and for what is not JSON
 * @throws HttpError 413
 */
export async function readJson(request: Request): Promise<unknown> {
  const type = mediaType(request)
  if (type !== '' && type !== 'application/json' && !/^application\/[\w.+-]+\+json$/.test(type)) {
    throw new InvalidInputError('', 'the content type of the body must be application/json')
  }
  const text = await readText(request, MOST_JSON_BYTES)
  if (text.trim() === '') throw new InvalidInputError('', 'a JSON object is required as body')
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new InvalidInputError('', 'the body is not valid JSON')
  }
}

/** Reads a body of UTF-8 text. @throws InvalidInputError @throws HttpError 413 */
export async function readText(request: Request, mostBytes: number): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > mostBytes) throw tooLarge(mostBytes)
  const bytes = await readBytes(request, mostBytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new InvalidInputError('', 'the body is not valid UTF-8')
  }
}

/** A body that drips must not hold a connection for ever. */
const PATIENCE_MS = 30_000

async function readBytes(request: Request, mostBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0
  const deadline = performance.now() + PATIENCE_MS
  try {
    for await (const piece of (request.body ?? []) as AsyncIterable<Uint8Array>) {
      size += piece.byteLength
      if (size > mostBytes) throw tooLarge(mostBytes)
      if (performance.now() > deadline) throw new InvalidInputError('', 'the body took longer than 30 seconds')
      pieces.push(piece)
    }
  } catch (error) {
    if (error instanceof HttpError || error instanceof InvalidInputError) throw error
    throw new InvalidInputError('', 'the body was cut off')
  }
  return Buffer.concat(pieces)
}

/** The content type without its parameters, in lower case; empty where there is none. */
export function mediaType(request: Request): string {
  return (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

function tooLarge(mostBytes: number): HttpError {
  return new HttpError(413, 'ERR_BODY_TOO_LARGE', `the body must have at most ${mostBytes} bytes`)
}
