import { EventSourceParserStream } from 'eventsource-parser/stream'
import { AlcoveApiError, errorOf, problemIn } from './api-error.js'
import { AlcoveClientError } from './client-error.js'
import type { components } from './generated/api.js'
import { type RetryOptions, retryWaitMs, wait, waitBeforeRetry } from './retrying-fetch.js'

/** The state of a document, and how far its processing is. */
export type DocumentState = components['schemas']['DocumentState']

export interface WatchOptions {
  /** Only the document with this id. Default: all documents of the context. */
  readonly docId?: number | undefined
  /** The documents whose states come at the beginning. Default: `all`. */
  readonly snapshot?: 'all' | 'unfinished' | undefined
  /** Ends the iteration, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Called whenever all states of the beginning have come: also after each new connection. */
  readonly onReady?: (() => void) | undefined
}

/**
 * Opens one connection, without retries. It calls `onSend` when it sends a request for events: a request for a token
 * comes before, and may take long.
 *
 * @throws AlcoveApiError
 */
export type OpenStream = (signal: AbortSignal, onSend: () => void) => Promise<Response>

/** The stream cannot be used: a proxy does not pass it on. */
export class StreamUnusableError extends Error {
  override readonly name = 'StreamUnusableError'
}

/** The first bytes come at once, unless a proxy collects them. */
const FIRST_BYTES_MS = 10_000
/** The server sends a comment every 15 seconds. */
const SILENCE_MS = 45_000
const LONGEST_WAIT_MS = 30_000

/**
 * The states of documents, as the server sends them. Connects again after a lost connection, an expired token or a
 * restart of the server: then all states come again. `ready` follows the states of the beginning.
 *
 * @param retries limits the tries after 429: other watches may never end
 * @throws AlcoveApiError once the caller may not read the context any more, or has too many watches
 * @throws StreamUnusableError if no stream comes
 */
export async function* documentStates(
  open: OpenStream,
  signal: AbortSignal | undefined,
  retries: RetryOptions,
): AsyncGenerator<DocumentState | 'ready'> {
  let refusals = 0
  for (let failures = 0; ; failures += 1) {
    let end: AlcoveApiError | undefined
    let isTemporary = true
    try {
      for await (const { event, data } of connection(open, signal)) {
        failures = 0
        refusals = 0
        if (event === 'document') yield JSON.parse(data) as DocumentState
        if (event === 'ready') yield 'ready'
        if (event !== 'end') continue
        end = new AlcoveApiError(problemIn(data))
        // The next connection has a new token.
        isTemporary = end.status === 401 || end.status >= 500
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof StreamUnusableError) throw error
      if (error instanceof AlcoveClientError && error.code === 'ERR_INVALID_INPUT') throw error
      // Anything else than an answer is a lost connection.
      if (error instanceof AlcoveApiError) {
        end = error
        const { status } = error
        isTemporary =
          status === 429 ? waitBeforeRetry(retries, error, refusals) !== undefined : [502, 503, 504].includes(status)
        if (status === 429) refusals += 1
      }
    }
    if (end !== undefined && !isTemporary) throw end
    const seconds = end?.retryAfterSeconds
    const pauseMs = seconds === undefined ? retryWaitMs(failures) : seconds * 1_000
    await wait(Math.min(LONGEST_WAIT_MS, pauseMs), signal)
  }
}

/** The events of one connection. */
async function* connection(
  open: OpenStream,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ readonly event?: string | undefined; readonly data: string }> {
  const controller = new AbortController()
  const abort = (): void => controller.abort(signal?.reason)
  if (signal?.aborted === true) abort()
  signal?.addEventListener('abort', abort, { once: true })
  let timer: ReturnType<typeof setTimeout> | undefined
  const allow = (ms: number, error: Error): void => {
    clearTimeout(timer)
    timer = setTimeout(() => controller.abort(error), ms)
  }
  try {
    const unusable = new StreamUnusableError('the server, or a proxy before it, sends no events')
    const response = await open(controller.signal, () => allow(FIRST_BYTES_MS, unusable))
    if (!response.ok) throw await errorOf(response)
    const isStream = (response.headers.get('content-type') ?? '').startsWith('text/event-stream')
    if (!isStream || response.body === null) throw unusable
    let isBegun = false
    let isReading = true
    // Not while the caller holds an event: the server waits for the caller then.
    const allowSilence = (): void => {
      if (isReading && isBegun) allow(SILENCE_MS, new TypeError('the connection is silent'))
    }
    const heard = new TransformStream<string, string>({
      transform: (text, output) => {
        isBegun = true
        allowSilence()
        output.enqueue(text)
      },
    })
    const events = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(heard)
      .pipeThrough(new EventSourceParserStream())
    const reader = events.getReader()
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      isReading = false
      clearTimeout(timer)
      yield next.value
      isReading = true
      allowSilence()
    }
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    controller.abort(new Error('the events are not needed any more'))
  }
}
