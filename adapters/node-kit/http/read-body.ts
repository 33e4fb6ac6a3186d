import { setTimeout } from 'node:timers/promises'
import pLimit from 'p-limit'
import { InvalidInputError, type Session, type WhileAway } from '../../../src/index.js'
import { readBytes } from '../../../src/ports/index.js'
import { FREE_BYTES, type HeldBytes } from './body-budget.js'
import { HttpError } from './problem.js'
import { isSettledWithin } from './settled-within.js'

/** The bounds and the check of a body. */
interface BodyReading<Value> {
  readonly maxBytes: number
  /** Counts the received bytes. */
  readonly held: HeldBytes
  /** Reads, parses and checks a body above 16 KiB in a turn of the caller. Undefined: at once. */
  readonly inTurn: Session['inTurn'] | undefined
  /** Checks the parsed body. Its errors pass. */
  readonly check: (body: unknown) => Value
}

/**
 * Reads a JSON body.
 * @throws InvalidInputError for another content type, and for a body that is not JSON
 * @throws HttpError 408 after 30 seconds, 413 above the limit, and the errors of {@link HeldBytes.grow}
 */
export async function readJson<Value>(request: Request, reading: BodyReading<Value>): Promise<Value> {
  const { maxBytes, held, inTurn, check } = reading
  const type = mediaType(request)
  if (type !== '' && type !== 'application/json' && !/^application\/[\w.+-]+\+json$/.test(type)) {
    throw new InvalidInputError('', 'the content type of the body must be application/json')
  }
  const read = async (whileAway?: WhileAway): Promise<Uint8Array> =>
    await readBody(request, { maxBytes, held, whileAway })
  const valueOf = (bytes: Uint8Array): Value => check(parseJson(textOf(bytes)))
  const isShort = Number(request.headers.get('content-length') ?? Number.POSITIVE_INFINITY) <= FREE_BYTES
  if (inTurn === undefined || isShort) return valueOf(await read())
  return await inTurn(async (whileAway) => {
    const bytes = await read(whileAway)
    // Others get the place while the body waits for longer ones.
    return await whileAway(async () => await inTurnOfLongBodies(() => valueOf(bytes)))
  })
}

/** Long bodies are parsed and checked one after the other: a body of 2 MB may take 50 ms. */
const oneLongBody = pLimit(1)
/** The event loop runs for so many times as long as a long body has taken, before the next one is parsed. */
const REST = 3

/** Runs the work when all long bodies before it, and the rest after each, are over. Its own rest is not waited for. */
async function inTurnOfLongBodies<Value>(work: () => Value): Promise<Value> {
  return await new Promise((resolve) => {
    void oneLongBody(async () => {
      const began = performance.now()
      const done = (async () => work())()
      resolve(done)
      await setTimeout((performance.now() - began) * REST)
    })
  })
}

/** Reads a body of UTF-8 text. Throws the same errors as {@link readJson}. */
export async function readText(request: Request, maxBytes: number): Promise<string> {
  return textOf(await readBody(request, { maxBytes }))
}

function parseJson(text: string): unknown {
  if (text.trim() === '') throw new InvalidInputError('', 'the body must be a JSON object')
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new InvalidInputError('', 'the body is not valid JSON')
  }
}

function textOf(bytes: Uint8Array): string {
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
/** A body that takes longer to arrive leaves its turn to others until it is there. */
const PATIENCE_MS = 100

interface Reading {
  readonly maxBytes: number
  readonly held?: HeldBytes
  readonly whileAway?: WhileAway | undefined
}

async function readBody(request: Request, { maxBytes, held, whileAway }: Reading): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const bounds = { maxBytes, maxWaitMs: MAX_WAIT_MS, tooLarge: () => tooLarge(maxBytes), tooSlow }
  try {
    const bytes = readBytes(request.body, { ...bounds, grow: held?.grow })
    // Few bodies that arrive quickly are read at a time. One that arrives slowly holds up nobody.
    if (whileAway === undefined || (await isSettledWithin(bytes, PATIENCE_MS))) return await bytes
    return await whileAway(async () => await bytes)
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
