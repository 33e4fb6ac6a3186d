import { type ExtractedPiece, ExtractionError, type ExtractionSource, StorageError } from '../../../src/ports/index.js'
import type { ExtractionLimits } from '../extraction-limits.js'
import { Deadline, withinTime } from './deadline.js'
import type { Arrival, HostMessage } from './extraction-protocol.js'
import { Mailbox } from './mailbox.js'
import type { ProcessStarter } from './process-starter.js'
import { SourceReader } from './source-reader.js'

/** What a process ends with where V8 has no memory left: a signal, or the code that Windows has for it. */
const OUT_OF_MEMORY = new Set<unknown>(['memory', 'SIGABRT', 'SIGTRAP', 'SIGILL', 134])
const CRASHED = new Set<unknown>(['crash', 'SIGSEGV', 'SIGBUS', 'SIGFPE', 0xc0000005])

/** A process that reads one file at a time. Not to be used again once {@link isSpent}. */
export class ExtractionProcess {
  readonly #starter: ProcessStarter
  readonly #limits: ExtractionLimits
  readonly #arrivals = new Mailbox<Arrival>()
  readonly #id: number
  readonly #gone: Promise<void>
  #isSpent = false
  #isTerminated = false
  /** Whether the file at hand takes much of the memory that it may. */
  #hasGrown = false

  constructor(starter: ProcessStarter, limits: ExtractionLimits) {
    this.#starter = starter
    this.#limits = limits
    let end = (): void => undefined
    this.#gone = new Promise((resolve) => {
      end = resolve
    })
    this.#id = starter.start((arrival) => {
      if (arrival.type === 'worn' || arrival.type === 'gone') this.#isSpent = true
      if (arrival.type === 'grown') this.#hasGrown = true
      if (arrival.type === 'gone') end()
      this.#arrivals.put(arrival)
    })
  }

  /** Whether it has ended, may still be busy with a file that nobody wants, or has grown too large for another one. */
  get isSpent(): boolean {
    return this.#isSpent
  }

  /** The text of a file. A consumer that stops early, or an abort, costs the process. */
  async *extract(source: ExtractionSource, signal: AbortSignal | undefined): AsyncGenerator<ExtractedPiece> {
    const file = new SourceReader(source)
    const deadline = new Deadline(this.#limits)
    let isOver = false
    this.#hasGrown = false
    this.#starter.ref()
    try {
      this.#post({ type: 'extract', fileName: source.fileName, sizeBytes: source.sizeBytes })
      this.#post({ type: 'next' })
      for (;;) {
        const arrival = await deadline.waitFor(this.#arrivals.take(), signal)
        if (arrival.type === 'open') await this.#fromSource(file.open(), signal)
        else if (arrival.type === 'pull')
          this.#post({ type: 'bytes', bytes: await this.#fromSource(file.next(), signal) })
        else if (arrival.type === 'piece') {
          yield arrival.piece
          deadline.restart()
          this.#post({ type: 'next' })
        } else if (arrival.type !== 'worn' && arrival.type !== 'grown') {
          isOver = arrival.type === 'end' || arrival.type === 'failed'
          if (arrival.type === 'end') return
          throw this.#toError(arrival)
        }
      }
    } finally {
      this.#isSpent ||= !isOver
      await file.close()
      if (this.#isSpent) await this.terminate()
      this.#starter.unref()
    }
  }

  async terminate(): Promise<void> {
    this.#isSpent = true
    this.#isTerminated = true
    this.#starter.ref()
    this.#starter.post(this.#id, { type: 'kill' })
    await this.#gone
    this.#starter.unref()
  }

  /** The time that a source takes is not the file's, but it is limited too. */
  async #fromSource<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const { pieceTimeoutMs: mostMs } = this.#limits
    const late = (): Error =>
      new StorageError(
        `the file store has given no bytes of the file for ${mostMs / 1_000} seconds: it is tried again`,
        {
          isTransient: true,
        },
      )
    return await withinTime(answer, { mostMs, late, signal })
  }

  #post(message: HostMessage): void {
    this.#starter.post(this.#id, message)
  }

  #toError(arrival: Arrival & { readonly type: 'failed' | 'died' | 'gone' }): Error {
    if (arrival.type === 'failed') {
      const { code, message } = arrival
      return code === undefined ? new Error(message) : new ExtractionError(code, message)
    }
    const how = arrival.type === 'died' ? arrival.cause : arrival.how
    if (OUT_OF_MEMORY.has(how)) {
      return new ExtractionError(
        'ERR_EXTRACTION_LIMIT',
        `Reading the file takes more than ${this.#limits.maxMemoryMb} MB of memory: split it, or save it in another format`,
      )
    }
    if (CRASHED.has(how)) return new ExtractionError('ERR_CORRUPT_FILE', 'The file is damaged and cannot be read')
    // A process that has taken much is what a system without memory ends.
    if (how === 'SIGKILL' && this.#hasGrown && !this.#isTerminated) {
      return new ExtractionError(
        'ERR_EXTRACTION_LIMIT',
        'Reading the file takes more memory than the machine has: split it, or save it in another format',
      )
    }
    // Somebody else has ended it, or it could not be started: the file may be as good as any.
    return new Error(`The process that reads files has ended (${String(how)}): the machine may be short of memory`)
  }
}
