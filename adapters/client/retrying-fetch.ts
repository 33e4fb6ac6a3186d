import { type AlcoveApiError, retryAfterOf } from './api-error.js'

/** Sends a request, as the global `fetch` does. */
export type Fetch = (request: Request) => Promise<Response>

export interface RetryOptions {
  /** Further tries after 429 and 503. Default: 3; 0 for none. */
  readonly maxRetries?: number | undefined
  /** Longest wait for one further try, in milliseconds. The server may ask for a longer one: then there is none. Default: 30,000. */
  readonly maxRetryWaitMs?: number | undefined
}

const DEFAULT_RETRIES = 3
const DEFAULT_WAIT_MS = 30_000
/** Waits without `Retry-After`: 0.5, 1, 2 seconds and so on. */
const FIRST_WAIT_MS = 500

/**
 * Tries again after 429 and 503, once the time of `Retry-After` has passed. After 503, a request that changes data twice
 * if it is sent twice is not sent again.
 */
export function retryingFetch(send: Fetch, options: RetryOptions): Fetch {
  return async (request) => {
    for (let tries = 0; ; tries += 1) {
      // A body can be sent only once.
      const response = await send(request.body === null ? request : request.clone())
      const { status } = response
      const waitMs = waitBeforeRetry(options, { status, retryAfterSeconds: retryAfterOf(response) }, tries)
      if (waitMs === undefined || !mayRepeat(request, status)) return response
      await response.body?.cancel()
      await wait(waitMs, request.signal)
    }
  }
}

/**
 * The wait after an answer 429 or 503, in milliseconds.
 *
 * @param tries number of tries before
 * @returns undefined if there is to be no further try
 */
export function waitBeforeRetry(
  { maxRetries = DEFAULT_RETRIES, maxRetryWaitMs = DEFAULT_WAIT_MS }: RetryOptions,
  { status, retryAfterSeconds }: Pick<AlcoveApiError, 'status' | 'retryAfterSeconds'>,
  tries: number,
): number | undefined {
  if ((status !== 429 && status !== 503) || tries >= maxRetries) return undefined
  const waitMs = retryAfterSeconds === undefined ? retryWaitMs(tries) : retryAfterSeconds * 1_000
  return waitMs > maxRetryWaitMs ? undefined : waitMs
}

/** The wait if the server names none. @param tries number of tries before */
export function retryWaitMs(tries: number): number {
  return FIRST_WAIT_MS * 2 ** tries
}

/** Searches change nothing. */
const SAFE_POSTS = /\/(?:context\/(?:relevant-docs|explain)(?:\/\d+)?|connect\/(?:token|introspect))$/

function mayRepeat({ method, url }: Request, status: number): boolean {
  return status === 429 || method !== 'POST' || SAFE_POSTS.test(new URL(url).pathname)
}

/** Waits for some milliseconds. @throws the signal's reason, as soon as it is aborted */
export async function wait(ms: number, signal?: AbortSignal | null): Promise<void> {
  signal?.throwIfAborted()
  let timer: ReturnType<typeof setTimeout> | undefined
  let abort: (() => void) | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(resolve, ms)
      abort = () => reject(signal?.reason as Error)
      signal?.addEventListener('abort', abort, { once: true })
    })
  } finally {
    clearTimeout(timer)
    if (abort !== undefined) signal?.removeEventListener('abort', abort)
  }
}
