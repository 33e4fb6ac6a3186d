import { Worker } from 'node:worker_threads'
import { type ExtractedPiece, ExtractionError, type ExtractionSource } from '../../src/ports/index.js'
import type { HostMessage, WorkerMessage } from './extraction-protocol.js'
import { Mailbox } from './mailbox.js'

/** What a worker thread may use. */
export interface ExtractionLimits {
  /** Heap of the thread, in megabytes. */
  readonly maxHeapMb: number
  /** Longest wait for one piece of text. */
  readonly pieceTimeoutMs: number
  /** Longest wait for all pieces of a file together. */
  readonly fileTimeoutMs: number
}

type Arrival = WorkerMessage | { readonly type: 'died'; readonly error: Error | undefined }

/** A worker thread that reads one file at a time. Not to be used again once {@link isHarmed}. */
export class ExtractionThread {
  readonly #worker: Worker
  readonly #limits: ExtractionLimits
  readonly #arrivals = new Mailbox<Arrival>()
  /** Whether the thread was killed, or may still be busy with a file that nobody wants. */
  isHarmed = false

  constructor(limits: ExtractionLimits) {
    this.#limits = limits
    this.#worker = new Worker(new URL('./extraction-worker.js', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: limits.maxHeapMb },
      // What libraries say of broken files is not the host's to read.
      stdout: true,
      stderr: true,
    })
    this.#worker.unref()
    this.#worker.on('message', (message: WorkerMessage) => {
      this.#arrivals.put(message)
    })
    this.#worker.on('error', (error) => {
      this.#arrivals.put({ type: 'died', error })
    })
    this.#worker.on('exit', () => {
      this.isHarmed = true
      this.#arrivals.put({ type: 'died', error: undefined })
    })
  }

  /** The text of a file. A consumer that stops early, or an abort, costs the thread. */
  async *extract(source: ExtractionSource, signal: AbortSignal | undefined): AsyncGenerator<ExtractedPiece> {
    const file = new SourceReader(source)
    const deadline = new Deadline(this.#limits)
    let isOver = false
    this.#worker.ref()
    try {
      this.#post({ type: 'extract', fileName: source.fileName, sizeBytes: source.sizeBytes })
      this.#post({ type: 'next' })
      for (;;) {
        const arrival = await deadline.waitFor(this.#arrivals.take(), signal)
        if (arrival.type === 'open') await file.open()
        else if (arrival.type === 'pull') this.#post({ type: 'bytes', bytes: await file.next() })
        else if (arrival.type === 'piece') {
          yield arrival.piece
          deadline.restart()
          this.#post({ type: 'next' })
        } else {
          isOver = arrival.type !== 'died'
          if (arrival.type === 'end') return
          throw toError(arrival)
        }
      }
    } finally {
      this.isHarmed = !isOver
      await file.close()
      this.#worker.unref()
      if (this.isHarmed) await this.terminate()
    }
  }

  async terminate(): Promise<void> {
    this.isHarmed = true
    await this.#worker.terminate()
  }

  #post(message: HostMessage): void {
    this.#worker.postMessage(message)
  }
}

/** Reads the source as the thread asks for it, again from the beginning if it must. */
class SourceReader {
  readonly #source: ExtractionSource
  #iterator: AsyncIterator<Uint8Array> | undefined

  constructor(source: ExtractionSource) {
    this.#source = source
  }

  async open(): Promise<void> {
    await this.close()
    this.#iterator = this.#source.open()[Symbol.asyncIterator]()
  }

  async next(): Promise<Uint8Array | null> {
    const next = await this.#iterator?.next()
    return next === undefined || next.done === true ? null : next.value
  }

  async close(): Promise<void> {
    await this.#iterator?.return?.()
    this.#iterator = undefined
  }
}

/** Counts the time that is spent waiting for the thread; a slow consumer costs it nothing. */
class Deadline {
  readonly #limits: ExtractionLimits
  #pieceMs = 0
  #fileMs = 0

  constructor(limits: ExtractionLimits) {
    this.#limits = limits
  }

  /** The next piece has all the time of a piece again. */
  restart(): void {
    this.#pieceMs = 0
  }

  async waitFor<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    signal?.throwIfAborted()
    const leftMs = Math.min(this.#limits.pieceTimeoutMs - this.#pieceMs, this.#limits.fileTimeoutMs - this.#fileMs)
    const began = performance.now()
    let stopWaiting = (): void => undefined
    const interrupted = new Promise<never>((_, reject) => {
      const timer = setTimeout(
        () => {
          reject(
            new ExtractionError(
              'ERR_EXTRACTION_TIMEOUT',
              'Reading the file takes too long: it may be damaged, or made to be slow',
            ),
          )
        },
        Math.max(0, leftMs),
      )
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
      this.#pieceMs += performance.now() - began
      this.#fileMs += performance.now() - began
    }
  }
}

function toError(arrival: Arrival & { readonly type: 'failed' | 'died' }): Error {
  if (arrival.type === 'failed') {
    const { code, message } = arrival
    return code === undefined ? new Error(message) : new ExtractionError(code, message)
  }
  const { error } = arrival
  const isOutOfMemory = error !== undefined && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
  if (isOutOfMemory) {
    return new ExtractionError('ERR_EXTRACTION_LIMIT', 'The file needs more memory to be read than is allowed', {
      cause: error,
    })
  }
  return new ExtractionError('ERR_CORRUPT_FILE', 'The file is damaged and cannot be read', { cause: error })
}
