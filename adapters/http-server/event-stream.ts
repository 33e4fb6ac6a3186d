import { HttpError, problemOf } from '../node-kit/index.js'
import type { Call } from './route.js'

/** One server-sent event: its type, and its data as JSON. */
export interface ServerEvent {
  readonly event: string
  readonly data: unknown
}

/** The call's members that a stream of events needs. */
type StreamMembers = 'request' | 'requireToken' | 'reportAbort' | 'isChunked' | 'closing'

/** Browsers connect again after this time. */
const RECONNECT_MS = 3_000
/** Interval of comments, so that no proxy takes a silent connection for a dead one. */
const HEARTBEAT_MS = 15_000
/** Interval of the checks of the token while no event comes. */
const CHECK_MS = 5_000
/** An event is sent only if the token was checked within this time. */
const FRESH_MS = 50

/** Proxies must neither store, change, compress nor collect the events. */
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/**
 * Server-sent events (HTML standard, section 9.2). The next event is read when the client has taken the last one.
 *
 * The stream ends once the token is not valid any more, when the server or the engine closes, and with an error of the
 * source. Its last event is `end`, with the problem as data. A browser then connects again, and gets the refusal.
 *
 * @param leave ends the source, whose waiting `next` may then reject
 */
export function streamEvents(
  call: Pick<Call<unknown, unknown, unknown>, StreamMembers>,
  events: Pick<AsyncIterator<ServerEvent>, 'next'>,
  leave: () => void,
): Response {
  const source = new EventTexts(call, events)
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const text = await source.read().catch((error: unknown) => {
          leave()
          const data = problemOf(error)
          if (data.status >= 500 && data.code !== 'ERR_CLOSED' && !call.request.signal.aborted) call.reportAbort(error)
          return textOf({ event: 'end', data })
        })
        if (text !== '') controller.enqueue(new TextEncoder().encode(text))
        if (text === '' || text.startsWith('event: end\n')) controller.close()
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  )
  const headers = { ...HEADERS, ...(call.isChunked && { 'transfer-encoding': 'chunked' }) }
  return new Response(body, { headers })
}

function textOf({ event, data }: ServerEvent): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

/** An event that was asked for. */
interface NextEvent {
  readonly result: Promise<IteratorResult<ServerEvent>>
  isSettled: boolean
}

/** A function: the compiler does not know that a wait may settle the event. */
function isPending({ isSettled }: NextEvent): boolean {
  return !isSettled
}

/** The texts of one stream. */
class EventTexts {
  #next: NextEvent | undefined
  #wake: () => void = () => undefined
  #checkedAt = performance.now()
  #sentAt = performance.now()
  #isBegun = false

  constructor(
    private readonly call: Pick<Call<unknown, unknown, unknown>, StreamMembers>,
    private readonly events: Pick<AsyncIterator<ServerEvent>, 'next'>,
  ) {}

  /** @returns the next text to send; empty at the end. @throws the reason why the stream ends */
  async read(): Promise<string> {
    const text = this.#isBegun ? await this.#readEvent() : `retry: ${RECONNECT_MS}\n\n`
    this.#isBegun = true
    this.#sentAt = performance.now()
    return text
  }

  async #readEvent(): Promise<string> {
    const next = (this.#next ??= this.#request())
    while (isPending(next)) {
      if (this.call.closing?.aborted === true)
        throw new HttpError(503, 'ERR_CLOSED', 'the server is closing: connect again')
      await this.#sleep()
      await this.#requireToken(CHECK_MS)
      if (isPending(next) && performance.now() - this.#sentAt >= HEARTBEAT_MS) return ':\n\n'
    }
    const result = await next.result
    this.#next = undefined
    if (result.done === true) return ''
    await this.#requireToken(FRESH_MS)
    return textOf(result.value)
  }

  #request(): NextEvent {
    const result = this.events.next()
    const next = { result, isSettled: false }
    const settle = (): void => {
      next.isSettled = true
      this.#wake()
    }
    result.then(settle, settle)
    return next
  }

  async #requireToken(maxAgeMs: number): Promise<void> {
    if (performance.now() - this.#checkedAt < maxAgeMs) return
    await this.call.requireToken()
    this.#checkedAt = performance.now()
  }

  /** Waits for the next event, the time of a check, or the end of the server. */
  async #sleep(): Promise<void> {
    const { closing } = this.call
    let timer: ReturnType<typeof setTimeout> | undefined
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      timer = setTimeout(resolve, CHECK_MS)
      closing?.addEventListener('abort', this.#wake, { once: true })
    })
    clearTimeout(timer)
    closing?.removeEventListener('abort', this.#wake)
  }
}
