import {
  ClosedError,
  type ExtractedPiece,
  type ExtractionSource,
  type TextExtractor,
  type TextFormat,
} from '../../src/ports/index.js'
import { type ExtractionLimits, ExtractionThread } from './extraction-thread.js'
import { FORMATS, identify } from './formats.js'

export interface WorkerTextExtractorOptions extends Partial<ExtractionLimits> {
  /** Idle threads kept for the next file; default 2. */
  readonly maxIdleThreads?: number
}

const DEFAULT_LIMITS: ExtractionLimits = { maxHeapMb: 512, pieceTimeoutMs: 120_000, fileTimeoutMs: 900_000 }
/** A thread that has read so many files makes place for a fresh one: libraries leak. */
const FILES_PER_THREAD = 100

/** Reads .pdf, .docx, .doc, .txt, .md and .csv in worker threads with limits of heap and time. */
export class WorkerTextExtractor implements TextExtractor {
  readonly formats: readonly TextFormat[] = FORMATS
  readonly #limits: ExtractionLimits
  readonly #maxIdleThreads: number
  readonly #idle: ExtractionThread[] = []
  readonly #busy = new Set<ExtractionThread>()
  readonly #filesRead = new WeakMap<ExtractionThread, number>()
  #isClosed = false

  constructor(options: WorkerTextExtractorOptions = {}) {
    const { maxIdleThreads = 2, ...limits } = options
    this.#limits = { ...DEFAULT_LIMITS, ...limits }
    this.#maxIdleThreads = maxIdleThreads
  }

  async identify(fileName: string, head: Uint8Array): Promise<TextFormat> {
    return await identify(fileName, head)
  }

  async *extract(
    source: ExtractionSource,
    options: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<ExtractedPiece> {
    if (this.#isClosed) throw new ClosedError('the text extractor')
    options.signal?.throwIfAborted()
    const thread = this.#takeIdle() ?? new ExtractionThread(this.#limits)
    this.#busy.add(thread)
    try {
      yield* thread.extract(source, options.signal)
    } finally {
      this.#busy.delete(thread)
      await this.#putBack(thread)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const threads = [...this.#idle.splice(0), ...this.#busy]
    await Promise.all(threads.map((thread) => thread.terminate()))
  }

  #takeIdle(): ExtractionThread | undefined {
    let thread = this.#idle.pop()
    while (thread?.isHarmed === true) thread = this.#idle.pop()
    return thread
  }

  async #putBack(thread: ExtractionThread): Promise<void> {
    if (thread.isHarmed) return
    const filesRead = (this.#filesRead.get(thread) ?? 0) + 1
    this.#filesRead.set(thread, filesRead)
    const isKept = !this.#isClosed && filesRead < FILES_PER_THREAD && this.#idle.length < this.#maxIdleThreads
    if (isKept) this.#idle.push(thread)
    else await thread.terminate()
  }
}
