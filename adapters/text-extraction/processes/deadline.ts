import { ExtractionError } from '../../../src/ports/index.js'

/** Counts the time spent in waiting for a piece and for a file. The time of a slow consumer does not count. */
export class Deadline {
  readonly #limits: { readonly pieceTimeoutMs: number; readonly fileTimeoutMs: number }
  #pieceMs = 0
  #fileMs = 0

  constructor(limits: { readonly pieceTimeoutMs: number; readonly fileTimeoutMs: number }) {
    this.#limits = limits
  }

  /** Starts the time of the next piece. */
  restart(): void {
    this.#pieceMs = 0
  }

  /** @throws ExtractionError `ERR_EXTRACTION_TIMEOUT`, or the reason of the signal */
  async waitFor<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const leftMs = Math.min(this.#limits.pieceTimeoutMs - this.#pieceMs, this.#limits.fileTimeoutMs - this.#fileMs)
    const startedAt = performance.now()
    try {
      return await withTimeout(promise, { timeoutMs: leftMs, createError: tooSlow, signal })
    } finally {
      this.#pieceMs += performance.now() - startedAt
      this.#fileMs += performance.now() - startedAt
    }
  }
}

function tooSlow(): ExtractionError {
  return new ExtractionError(
    'ERR_EXTRACTION_TIMEOUT',
    'Reading the file takes too long: the file may be damaged. Save it with another program, or split it',
  )
}

interface TimeLimit {
  readonly timeoutMs: number
  /** Creates the error that is thrown after that time. */
  readonly createError: () => Error
  readonly signal: AbortSignal | undefined
}

/** Waits for a promise with a time limit. @throws the error of `createError`, or the reason of the signal */
export async function withTimeout<T>(promise: Promise<T>, { timeoutMs, createError, signal }: TimeLimit): Promise<T> {
  // After a timeout nothing awaits the promise, and its error must not count as unhandled.
  promise.catch(() => undefined)
  signal?.throwIfAborted()
  let stopWaiting = (): void => undefined
  const interrupted = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(createError()), Math.max(0, timeoutMs))
    const abort = (): void => {
      reject(signal?.reason as Error)
    }
    signal?.addEventListener('abort', abort)
    stopWaiting = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  })
  try {
    return await Promise.race([promise, interrupted])
  } finally {
    stopWaiting()
  }
}
