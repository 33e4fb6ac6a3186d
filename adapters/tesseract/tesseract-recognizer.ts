import pLimit, { type LimitFunction } from 'p-limit'
import { ClosedError, type RecognizedText, type TextRecognizer, untilAborted } from '../../src/ports/index.js'
import { RecognitionProcess } from './recognition-process.js'
import { type CheckedOptions, checkOptions, type TesseractRecognizerOptions } from './tesseract-options.js'
import { findPackages, LanguageFolder, type TesseractPackages } from './tesseract-packages.js'

/**
 * Reads the text in pictures with the packages `tesseract.js` and `@tesseract.js-data/<language>`, offline. Each picture
 * is read in a separate process with limits for memory and time. With the package `@tesseract.js-data/osd`, a page that
 * is turned by 90, 180 or 270 degrees is turned upright.
 */
export class TesseractRecognizer implements TextRecognizer {
  readonly id: string
  readonly concurrency: number
  readonly #options: CheckedOptions
  readonly #orientationFolder: string | undefined
  readonly #languageFolder: LanguageFolder
  readonly #places: LimitFunction
  /** The idle processes, each with the timer that ends it. */
  readonly #idle = new Map<RecognitionProcess, NodeJS.Timeout>()
  readonly #busy = new Set<RecognitionProcess>()
  readonly #closing = new AbortController()

  private constructor(options: CheckedOptions, { languages, orientationFolder }: TesseractPackages) {
    this.id = `tesseract ${options.languages.join('+')}`
    this.concurrency = options.concurrency
    this.#options = options
    this.#orientationFolder = orientationFolder
    this.#languageFolder = new LanguageFolder(languages, options.tempDir)
    this.#places = pLimit(options.concurrency)
  }

  /**
   * Checks options without starting anything.
   *
   * @throws InvalidInputError about an option
   * @throws UnsupportedError that names the command that installs missing packages
   */
  static check(options: TesseractRecognizerOptions): void {
    findPackages(checkOptions(options).languages)
  }

  /** @throws as {@link check} */
  static open(options: TesseractRecognizerOptions): TesseractRecognizer {
    const checked = checkOptions(options)
    return new TesseractRecognizer(checked, findPackages(checked.languages))
  }

  async recognize(picture: Uint8Array, options: { readonly signal?: AbortSignal } = {}): Promise<RecognizedText> {
    const { signal } = options
    if (this.#closing.signal.aborted) throw new ClosedError('the text recogniser')
    signal?.throwIfAborted()
    const turn = this.#places(async () => {
      signal?.throwIfAborted()
      this.#closing.signal.throwIfAborted()
      return await this.#recognize(picture, signal)
    })
    return await untilAborted(untilAborted(turn, this.#closing.signal), signal)
  }

  async close(): Promise<void> {
    this.#closing.abort(new ClosedError('the text recogniser'))
    const processes = [...this.#idle.keys(), ...this.#busy]
    for (const process of this.#idle.keys()) this.#takeOut(process)
    await Promise.all(processes.map(async (process) => await process.terminate()))
    await this.#languageFolder.remove()
  }

  async #recognize(picture: Uint8Array, signal: AbortSignal | undefined): Promise<RecognizedText> {
    const process = this.#takeIdle() ?? (await this.#start())
    this.#busy.add(process)
    try {
      return await process.recognize(picture, this.#options.pictureTimeoutMs, signal)
    } finally {
      this.#busy.delete(process)
      if (!process.isSpent) await this.#keep(process)
    }
  }

  async #start(): Promise<RecognitionProcess> {
    const { languages, maxMemoryMb } = this.#options
    const languageFolder = await this.#languageFolder.path()
    // A process that starts after the close would stay.
    this.#closing.signal.throwIfAborted()
    return new RecognitionProcess({
      languages,
      languageFolder,
      maxMemoryMb,
      ...(this.#orientationFolder !== undefined && { orientationFolder: this.#orientationFolder }),
    })
  }

  #takeIdle(): RecognitionProcess | undefined {
    for (const process of [...this.#idle.keys()].reverse()) {
      this.#takeOut(process)
      if (!process.isSpent) return process
    }
    return undefined
  }

  #takeOut(process: RecognitionProcess): void {
    clearTimeout(this.#idle.get(process))
    this.#idle.delete(process)
  }

  async #keep(process: RecognitionProcess): Promise<void> {
    if (this.#closing.signal.aborted) {
      await process.terminate()
      return
    }
    const end = (): void => {
      this.#takeOut(process)
      void process.terminate()
    }
    this.#idle.set(process, setTimeout(end, this.#options.maxIdleMs).unref())
  }
}
