import {
  ClosedError,
  type ExtractedPiece,
  type ExtractionSource,
  type TextExtractor,
  type TextFormat,
  type TextRecognizer,
} from '../../src/ports/index.js'
import { type ExtractionLimits, limitsOf } from './extraction-limits.js'
import { FORMATS, identify } from './formats.js'
import { PICTURE_FORMATS } from './picture-formats.js'
import { ExtractionProcess } from './processes/extraction-process.js'
import { ProcessStarter } from './processes/process-starter.js'
import { RecognizerPlaces } from './processes/recognizer-places.js'

export interface WorkerTextExtractorOptions extends Partial<ExtractionLimits> {
  /** An idle process ends after this time, and its memory is free. Default: 10,000. */
  readonly maxIdleMs?: number
  /** Files that are read at the same time: one more than the engine's `ingestionConcurrency`. They share the memory. Default: 4. */
  readonly readersAtOnce?: number | undefined
  /**
   * Reads the text in pictures: files of {@link PICTURE_FORMATS}, and pages of a PDF that are one picture. The extractor
   * closes it. Default: such files are refused, and such pages have no text.
   */
  readonly recognizer?: TextRecognizer | undefined
}

const WORKER = new URL('./processes/extraction-worker.js', import.meta.url)
/** A process is replaced after this number of files, because libraries leak memory. */
const FILES_PER_PROCESS = 100

/**
 * Reads the files of {@link FORMATS} in separate processes, with limits for memory, time and output. A file that
 * crashes its process is refused, and other files continue. If the machine runs out of memory, Linux ends such a
 * process before the host.
 */
export class WorkerTextExtractor implements TextExtractor {
  readonly formats: readonly TextFormat[]
  readonly #limits: ExtractionLimits
  readonly #maxIdleMs: number
  readonly #places: RecognizerPlaces | undefined
  /** The idle processes, the least recently used first, each with the timer that ends it. */
  readonly #idle = new Map<ExtractionProcess, NodeJS.Timeout>()
  readonly #busy = new Set<ExtractionProcess>()
  readonly #filesRead = new WeakMap<ExtractionProcess, number>()
  #starter: ProcessStarter | undefined
  #isClosed = false

  constructor(options: WorkerTextExtractorOptions = {}) {
    const { maxIdleMs = 10_000, readersAtOnce, recognizer, ...limits } = options
    this.formats = recognizer === undefined ? FORMATS : [...FORMATS, ...PICTURE_FORMATS]
    this.#places = recognizer && new RecognizerPlaces(recognizer)
    this.#limits = limitsOf(limits, readersAtOnce)
    this.#maxIdleMs = maxIdleMs
  }

  async identify(fileName: string, head: Uint8Array, contentType?: string): Promise<TextFormat> {
    return await identify(fileName, head, { contentType, readsPictures: this.#places !== undefined })
  }

  async *extract(
    source: ExtractionSource,
    options: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<ExtractedPiece> {
    if (this.#isClosed) throw new ClosedError('the text extractor')
    options.signal?.throwIfAborted()
    const process = this.#takeIdle() ?? this.#start()
    this.#busy.add(process)
    try {
      yield* process.extract(source, options.signal)
    } finally {
      this.#busy.delete(process)
      await this.#putBack(process)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const processes = [...this.#idle.keys(), ...this.#busy]
    for (const process of this.#idle.keys()) this.#takeOut(process)
    await Promise.all(processes.map((process) => process.terminate()))
    await this.#starter?.close()
    await this.#places?.recognizer.close()
  }

  #start(): ExtractionProcess {
    if (this.#starter === undefined || this.#starter.hasEnded) this.#starter = new ProcessStarter(this.#limits, WORKER)
    return new ExtractionProcess(this.#starter, this.#limits, this.#places)
  }

  #takeIdle(): ExtractionProcess | undefined {
    for (const process of [...this.#idle.keys()].reverse()) {
      this.#takeOut(process)
      if (!process.isSpent) return process
    }
    return undefined
  }

  #takeOut(process: ExtractionProcess): void {
    clearTimeout(this.#idle.get(process))
    this.#idle.delete(process)
  }

  #keep(process: ExtractionProcess): void {
    const end = (): void => {
      this.#takeOut(process)
      void process.terminate()
    }
    this.#idle.set(process, setTimeout(end, this.#maxIdleMs).unref())
  }

  async #putBack(process: ExtractionProcess): Promise<void> {
    if (process.isSpent) return
    const filesRead = (this.#filesRead.get(process) ?? 0) + 1
    this.#filesRead.set(process, filesRead)
    const isKept = !this.#isClosed && filesRead < FILES_PER_PROCESS
    if (isKept) this.#keep(process)
    else await process.terminate()
  }
}
