import { InvalidInputError } from '../../src/index.js'
import { readBytes } from '../../src/ports/index.js'
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
  const bytes = await readBody(request, maxBytes, held)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new InvalidInputError('', 'the body is not valid UTF-8')
  }
}

/** The content type without its parameters, in lower case; empty if the request has none. */
export function mediaType(request: Request): string {
  return (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

const MAX_WAIT_MS = 30_000

async function readBody(request: Request, maxBytes: number, held: HeldBytes | undefined): Promise<Uint8Array> {
  const limits = { maxBytes, maxWaitMs: MAX_WAIT_MS, tooLarge: () => tooLarge(maxBytes), tooSlow, grow: held?.grow }
  try {
    return await readBytes(request.body, limits)
  } catch (error) {
    if (error instanceof HttpError) throw error
    throw new InvalidInputError('', 'the body ended too early')
  } finally {
    held?.free()
  }
}

function tooLarge(maxBytes: number): HttpError {
  return new HttpError(413, 'ERR_BODY_TOO_LARGE', `the body must have at most ${maxBytes} bytes`)
}

function tooSlow(): HttpError {
  return new HttpError(408, 'ERR_TOO_SLOW', `the body must arrive within ${MAX_WAIT_MS / 1_000} seconds`)
}

/** The bytes of each body that are not counted: small requests pass while large ones are received. */
const FREE_BYTES = 16_384
const MAX_BYTES = 67_108_864
const MAX_BYTES_OF_COMPANY = 16_777_216
const RETRY_AFTER = { 'retry-after': '1' }

/** The part of the budget that one body uses. */
interface HeldBytes {
  /** Raises the total of this body. @throws HttpError 429 above the limit of the company, 503 above the limit of all */
  readonly grow: (toBytes: number) => void
  readonly free: () => void
}

/**
 * The memory for bodies that are being received. Each company may use only a part of it, so that the others keep some.
 */
export class BodyBudget {
  readonly #bytesOfCompanies = new Map<number, number>()
  #bytes = 0

  /** @param companyId the caller's company; 0 if it is unknown */
  hold(companyId: number): HeldBytes {
    let held = 0
    const change = (bytes: number): void => {
      held += bytes
      this.#bytes += bytes
      const total = (this.#bytesOfCompanies.get(companyId) ?? 0) + bytes
      if (total === 0) this.#bytesOfCompanies.delete(companyId)
      else this.#bytesOfCompanies.set(companyId, total)
    }
    return {
      grow: (toBytes) => {
        const growth = Math.max(0, toBytes - FREE_BYTES) - held
        if (growth <= 0) return
        this.#requireRoom(companyId, growth)
        change(growth)
      },
      free: () => change(-held),
    }
  }

  #requireRoom(companyId: number, growth: number): void {
    if ((this.#bytesOfCompanies.get(companyId) ?? 0) + growth > MAX_BYTES_OF_COMPANY) {
      const problem = `this company sends more than ${MAX_BYTES_OF_COMPANY} bytes of bodies at the same time: wait until some requests are answered`
      throw new HttpError(429, 'ERR_THROTTLED', problem, RETRY_AFTER)
    }
    if (this.#bytes + growth > MAX_BYTES) {
      throw new HttpError(503, 'ERR_BUSY', 'the service receives too many large bodies: retry later', RETRY_AFTER)
    }
  }
}
