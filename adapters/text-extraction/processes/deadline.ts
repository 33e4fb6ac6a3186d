import { ExtractionError } from '../../../src/ports/index.js'

/** Counts the time that is spent waiting for a piece and for a file; a slow consumer costs it nothing. */
export class Deadline {
  readonly #limits: { readonly pieceTimeoutMs: number; readonly fileTimeoutMs: number }
  #pieceMs = 0
  #fileMs = 0

  constructor(limits: { readonly pieceTimeoutMs: number; readonly fileTimeoutMs: number }) {
    this.#limits = limits
  }

  /** The next piece has all the time of a piece again. */
  restart(): void {
    this.#pieceMs = 0
  }

  /** @throws ExtractionError `ERR_EXTRACTION_TIMEOUT`; the signal's reason */
  async waitFor<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const leftMs = Math.min(this.#limits.pieceTimeoutMs - this.#pieceMs, this.#limits.fileTimeoutMs - this.#fileMs)
    const began = performance.now()
    try {
      return await withinTime(promise, { mostMs: leftMs, late: tooSlow, signal })
    } finally {
      this.#pieceMs += performance.now() - began
      this.#fileMs += performance.now() - began
    }
  }
}

function tooSlow(): ExtractionError {
  return new ExtractionError(
    'ERR_EXTRACTION_TIMEOUT',
    'Reading the file takes too long: it may be damaged, or made to be slow. Save it again, or split it',
  )
}

interface TimeLimit {
  readonly mostMs: number
  /** What is thrown after that time. */
  readonly late: () => Error
  readonly signal: AbortSignal | undefined
}

/** Waits for a promise, but no longer than it may take. @throws what `late` gives; the signal's reason */
export async function withinTime<T>(promise: Promise<T>, { mostMs, late, signal }: TimeLimit): Promise<T> {
  // Nobody waits for it once this has thrown.
  promise.catch(() => undefined)
  signal?.throwIfAborted()
  let stopWaiting = (): void => undefined
  const interrupted = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(late()), Math.max(0, mostMs))
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
