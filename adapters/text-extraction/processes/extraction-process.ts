import { type ExtractedPiece, ExtractionError, type ExtractionSource, StorageError } from '../../../src/ports/index.js'
import { type ExtractionLimits, fileTimeoutOf } from '../extraction-limits.js'
import { type Arrival, type HostMessage, Mailbox, type PictureMessage } from './extraction-protocol.js'
import { FileRecognitions } from './file-recognitions.js'
import type { ProcessStarter } from './process-starter.js'
import type { RecognizerPlaces } from './recognizer-places.js'

/** The signals and the Windows exit code of a process in which V8 ran out of memory. */
const OUT_OF_MEMORY = new Set<unknown>(['memory', 'SIGABRT', 'SIGTRAP', 'SIGILL', 134])
const CRASHED = new Set<unknown>(['crash', 'SIGSEGV', 'SIGBUS', 'SIGFPE', 0xc0000005])

/** The messages that a file waits for. Messages about pictures are handled when they arrive, and only tell that here. */
type FileArrival = Exclude<Arrival, PictureMessage> | { readonly type: 'picture' }

/** A process that reads one file at a time. Do not use it after {@link isSpent} is true. */
export class ExtractionProcess {
  readonly #arrivals = new Mailbox<FileArrival>()
  readonly #id: number
  readonly #ended: Promise<void>
  #isSpent = false
  #isTerminated = false
  /** True if the current file uses much of the allowed memory. */
  #hasGrown = false
  /** The pictures of the current file. */
  #recognitions: FileRecognitions | undefined

  constructor(
    private readonly starter: ProcessStarter,
    private readonly limits: ExtractionLimits,
    private readonly places?: RecognizerPlaces | undefined,
  ) {
    let end = (): void => undefined
    this.#ended = new Promise((resolve) => {
      end = resolve
    })
    this.#id = starter.start((arrival) => {
      if (arrival.type === 'picture' || arrival.type === 'picture-bytes') {
        // A consumer that takes its time keeps no picture from its place.
        this.#recognitions?.receive(arrival)
        this.#arrivals.put({ type: 'picture' })
        return
      }
      if (arrival.type === 'worn' || arrival.type === 'ended') this.#isSpent = true
      if (arrival.type === 'grown') this.#hasGrown = true
      if (arrival.type === 'ended') end()
      this.#arrivals.put(arrival)
    })
  }

  /** True if the process has ended, may still read an abandoned file, or uses too much memory for another file. */
  get isSpent(): boolean {
    return this.#isSpent
  }

  /** Reads the text of a file. If the consumer stops early or aborts, the process is terminated. */
  async *extract(source: ExtractionSource, signal: AbortSignal | undefined): AsyncGenerator<ExtractedPiece> {
    const file = new SourceReader(source, this.limits.pieceTimeoutMs)
    const deadline = new Deadline(this.limits.pieceTimeoutMs, fileTimeoutOf(this.limits, source.sizeBytes))
    const recognitions = this.places && new FileRecognitions(this.places, this.limits, (message) => this.#post(message))
    this.#recognitions = recognitions
    let isOver = false
    this.#hasGrown = false
    this.starter.ref()
    try {
      this.#post(fileMessage(source, this.places?.atOnce ?? 0))
      this.#post({ type: 'next' })
      for (;;) {
        const next = this.#arrivals.take()
        await recognitions?.untilIdleOr(next, signal)
        const arrival = await deadline.waitFor(next, signal)
        if (arrival.type === 'open') await this.#fromSource(file.open(), signal)
        else if (arrival.type === 'pull')
          this.#post({ type: 'bytes', bytes: await this.#fromSource(file.next(), signal) })
        else if (arrival.type === 'piece') {
          yield arrival.piece
          deadline.restart()
          this.#post({ type: 'next' })
        } else if (arrival.type !== 'worn' && arrival.type !== 'grown' && arrival.type !== 'picture') {
          isOver = arrival.type === 'end' || arrival.type === 'failed'
          if (arrival.type === 'end') return
          throw this.#toError(arrival)
        }
      }
    } finally {
      recognitions?.abort()
      this.#recognitions = undefined
      this.#isSpent ||= !isOver
      await file.close()
      if (this.#isSpent) await this.terminate()
      this.starter.unref()
    }
  }

  async terminate(): Promise<void> {
    this.#isSpent = true
    this.#isTerminated = true
    this.starter.ref()
    this.starter.post(this.#id, { type: 'kill' })
    await this.#ended
    this.starter.unref()
  }

  /** Limits the time of the file store. It does not count as time of the file. */
  async #fromSource<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const { pieceTimeoutMs: timeoutMs } = this.limits
    const message = `the file store returned no bytes of the file for ${timeoutMs / 1_000} seconds: the job is retried`
    const createError = (): Error => new StorageError(message, { isTransient: true })
    return await withTimeout(answer, { timeoutMs, createError, signal })
  }

  #post(message: HostMessage): void {
    this.starter.post(this.#id, message)
  }

  #toError(arrival: Arrival & { readonly type: 'failed' | 'died' | 'ended' }): Error {
    if (arrival.type === 'failed') {
      const { code, message } = arrival
      return code === undefined ? new Error(message) : new ExtractionError(code, message)
    }
    const cause = arrival.type === 'died' ? arrival.cause : arrival.exit
    if (OUT_OF_MEMORY.has(cause)) {
      return new ExtractionError(
        'ERR_EXTRACTION_LIMIT',
        `Reading the file needs more than ${this.limits.maxMemoryMb} MB of memory: split it, or save it in another format`,
      )
    }
    if (CRASHED.has(cause)) return new ExtractionError('ERR_CORRUPT_FILE', 'The file is damaged and cannot be read')
    // A system without memory kills processes that use much of it.
    if (cause === 'SIGKILL' && this.#hasGrown && !this.#isTerminated) {
      return new ExtractionError(
        'ERR_EXTRACTION_LIMIT',
        'Reading the file needs more memory than the machine has: split it, or save it in another format',
      )
    }
    // Another program killed the process, or it could not start: the file may be good.
    return new Error(`The process that reads files has ended (${String(cause)}): the machine may be short of memory`)
  }
}

function fileMessage({ fileName, sizeBytes, contentType }: ExtractionSource, picturesAtOnce: number): HostMessage {
  return { type: 'extract', fileName, sizeBytes, picturesAtOnce, ...(contentType !== undefined && { contentType }) }
}

/** Counts the time spent in waiting for a piece and for a file. The time of a slow consumer does not count. */
class Deadline {
  #pieceMs = 0
  #fileMs = 0

  constructor(
    private readonly pieceTimeoutMs: number,
    private readonly fileTimeoutMs: number,
  ) {}

  /** Starts the time of the next piece. */
  restart(): void {
    this.#pieceMs = 0
  }

  /** @throws ExtractionError `ERR_EXTRACTION_TIMEOUT`, or the reason of the signal */
  async waitFor<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const [pieceMs, fileMs] = [this.pieceTimeoutMs - this.#pieceMs, this.fileTimeoutMs - this.#fileMs]
    const startedAt = performance.now()
    try {
      const createError = (): Error => tooSlow(fileMs <= pieceMs ? this.fileTimeoutMs : undefined)
      return await withTimeout(promise, { timeoutMs: Math.min(pieceMs, fileMs), createError, signal })
    } finally {
      this.#pieceMs += performance.now() - startedAt
      this.#fileMs += performance.now() - startedAt
    }
  }
}

/** @param limitMs the time for a file of this size, if that is over */
function tooSlow(limitMs: number | undefined): ExtractionError {
  const limit =
    limitMs === undefined ? '' : ` (the limit for a file of this size is ${Math.ceil(limitMs / 1_000)} seconds)`
  return new ExtractionError(
    'ERR_EXTRACTION_TIMEOUT',
    `Reading the file takes too long${limit}: the file may be damaged. Save it with another program, or split it`,
  )
}

interface TimeLimit {
  readonly timeoutMs: number
  /** Creates the error that is thrown after that time. */
  readonly createError: () => Error
  readonly signal: AbortSignal | undefined
}

/** Waits for a promise with a time limit. @throws the error of `createError`, or the reason of the signal */
async function withTimeout<T>(promise: Promise<T>, { timeoutMs, createError, signal }: TimeLimit): Promise<T> {
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

/** Waits until a promise has settled, for a limited time. */
async function settled(promise: Promise<unknown>, timeoutMs: number): Promise<void> {
  const createError = (): Error => new StorageError('the source did not answer', { isTransient: true })
  await withTimeout(promise, { timeoutMs, createError, signal: undefined }).catch(() => undefined)
}

/** The most bytes in one message to the thread. Copying more would block the host's event loop. */
const MAX_PIECE_BYTES = 262_144
/** The longest wait for a source to close. */
const MAX_CLOSE_MS = 5_000

/** Reads the source when the thread asks for bytes, also several times from the beginning. */
class SourceReader {
  readonly #closeTimeoutMs: number
  #iterator: AsyncIterator<Uint8Array> | undefined
  #rest: Uint8Array = new Uint8Array()
  #isWaiting = false

  constructor(
    private readonly source: ExtractionSource,
    pieceTimeoutMs: number,
  ) {
    // Shorter than the wait for a piece, which includes it when the source is opened again.
    this.#closeTimeoutMs = Math.min(pieceTimeoutMs / 2, MAX_CLOSE_MS)
  }

  async open(): Promise<void> {
    await this.close()
    this.#iterator = this.source.open()[Symbol.asyncIterator]()
  }

  /** @returns `null` at the end */
  async next(): Promise<Uint8Array | null> {
    while (this.#rest.length === 0) {
      const result = await this.#wait(this.#iterator?.next())
      if (result === undefined || result.done === true) return null
      this.#rest = result.value
    }
    const piece = this.#rest.subarray(0, MAX_PIECE_BYTES)
    this.#rest = this.#rest.subarray(piece.length)
    return piece
  }

  /**
   * Waits for a limited time, and not at all for a source that has not answered yet: it may never answer. The text does
   * not depend on the close, and a failed reading has its own error. So an error of the close changes no result.
   */
  async close(): Promise<void> {
    this.#rest = new Uint8Array()
    const closing = this.#iterator?.return?.()
    this.#iterator = undefined
    if (closing === undefined) return
    if (this.#isWaiting) closing.catch(() => undefined)
    else await settled(closing, this.#closeTimeoutMs)
  }

  async #wait<T>(answer: Promise<T> | undefined): Promise<T | undefined> {
    this.#isWaiting = true
    try {
      return await answer
    } finally {
      this.#isWaiting = false
    }
  }
}
