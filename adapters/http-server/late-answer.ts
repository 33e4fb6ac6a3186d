import { HttpError, isSettledWithin, problemOf } from '../node-kit/index.js'
import { json } from './answers.js'
import type { Call } from './route.js'

/** The call's members that a late answer needs. */
type LateMembers = 'request' | 'requireRights' | 'reportAbort' | 'isChunked' | 'closing'

/** Times of a late answer. */
export interface LateTimes {
  /** Work that ends within this time gets a plain answer, with a status for its error. Default: 5,000. */
  readonly plainMs?: number
  /** Interval of the white space, and of the checks of the caller's rights. Default: 15,000. */
  readonly heartbeatMs?: number
}

/** Proxies must neither change nor collect the white space. */
const HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}

/**
 * A JSON answer of work that may take minutes. The body is white space until the work is done: a silent connection would
 * be cut by proxies, and by this server after two minutes. Every reader of JSON skips the white space, so that clients
 * need not know about it.
 *
 * The work is aborted if the client leaves or loses its rights, and when the server closes. An error after the answer
 * has begun aborts the body and is logged.
 *
 * @throws the error of work that fails soon
 */
export async function answerLater(
  call: Pick<Call<unknown, unknown, unknown>, LateMembers>,
  work: (signal: AbortSignal) => Promise<unknown>,
  { plainMs = 5_000, heartbeatMs = 15_000 }: LateTimes = {},
): Promise<Response> {
  const { request, closing, isChunked } = call
  const ending = new AbortController()
  const left = new Error('the client has left')
  const leave = (): void => ending.abort(left)
  const close = (): void => ending.abort(new HttpError(503, 'ERR_CLOSED', 'the server is closing: retry later'))
  request.signal.addEventListener('abort', leave, { once: true })
  closing?.addEventListener('abort', close, { once: true })
  if (request.signal.aborted) leave()
  if (closing?.aborted === true) close()
  const result = work(ending.signal)
  const settled = result.then(
    () => undefined,
    () => undefined,
  )
  void settled.then(() => {
    request.signal.removeEventListener('abort', leave)
    closing?.removeEventListener('abort', close)
  })
  if (await isSettledWithin(settled, plainMs)) return json(await result)
  return new Response(bodyOf(call, { result, settled, heartbeatMs, ending, left }), {
    headers: { ...HEADERS, ...(isChunked && { 'transfer-encoding': 'chunked' }) },
  })
}

interface LateWork {
  readonly result: Promise<unknown>
  /** Resolves when the result is there, or an error. */
  readonly settled: Promise<unknown>
  readonly heartbeatMs: number
  readonly ending: AbortController
  /** The reason of the end if the client has left. */
  readonly left: Error
}

function bodyOf(
  { request, requireRights, reportAbort }: Pick<Call<unknown, unknown, unknown>, LateMembers>,
  { result, settled, heartbeatMs, ending, left }: LateWork,
): ReadableStream<Uint8Array> {
  let isBegun = false
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const isDone = isBegun && (await isSettledWithin(settled, heartbeatMs))
          isBegun = true
          await requireRights()
          controller.enqueue(new TextEncoder().encode(isDone ? JSON.stringify(await result) : '\n'))
          if (isDone) controller.close()
        } catch (error) {
          ending.abort(error)
          const isExpected = request.signal.aborted || error === left || problemOf(error).code === 'ERR_CLOSED'
          if (!isExpected) reportAbort(error)
          // A server may print this error, so it says nothing about the cause.
          controller.error(new Error('the answer was aborted: see http.request.failed in the log'))
        }
      },
      cancel: () => ending.abort(left),
    },
    { highWaterMark: 0 },
  )
}
