import { ExtractionError, type RecognizedText } from '../../../../src/ports/index.js'
import { pageLimitOf } from '../picture/page-limit.js'
import type { Recognition } from '../reader.js'
import { type PicturedPage, pictureOfPage } from './pdf-page-picture.js'

/** A PDF of PDF.js. */
interface PicturedPdf {
  getPage(number: number): Promise<PicturedPage & { cleanup(): unknown }>
  destroy(): Promise<unknown>
}

/** Pages that a recogniser may fail to read. After that many, the file costs only time. */
const MAX_FAILURES = 5

/** Recognises the text of pages that are one picture. */
export class PdfRecognition {
  #pdf: Promise<PicturedPdf | undefined> | undefined
  #left: number
  #failures = 0
  #endedAt: number | undefined
  /** Pages take their pictures in turn: each picture is large. */
  #taken: Promise<unknown> = Promise.resolve()

  /** @param open opens the file once more, with its pictures */
  constructor(
    private readonly recognition: Recognition,
    sizeBytes: number,
    private readonly open: () => Promise<PicturedPdf | undefined>,
  ) {
    this.#left = pageLimitOf(sizeBytes)
  }

  /** The pages that are read at the same time: one more than the recogniser reads, so that it never waits for a picture. */
  get pagesAtOnce(): number {
    return this.recognition.atOnce + 1
  }

  /** The first page whose text is not recognised because the file has used its time. */
  get endedAt(): number | undefined {
    return this.#endedAt
  }

  /** @returns undefined for a page that is no picture, or whose text cannot be recognised; '' for a page without text */
  async textOf(number: number): Promise<RecognizedText | undefined> {
    if (this.#left <= 0 || this.#failures >= MAX_FAILURES) return undefined
    const taking = this.#taken.then(async () => await this.#pictureOf(number)).catch(() => undefined)
    this.#taken = taking
    const picture = await taking
    if (picture === undefined) return undefined
    this.#left -= 1
    try {
      return await this.recognition.recognize(picture)
    } catch (error) {
      if (!(error instanceof ExtractionError)) throw error
      this.#failures += 1
      if (this.recognition.isOver) {
        this.#left = 0
        this.#endedAt = Math.min(this.#endedAt ?? number, number)
      }
      return undefined
    }
  }

  async close(): Promise<void> {
    const pdf = await this.#pdf
    await pdf?.destroy()
  }

  async #pictureOf(number: number): Promise<Uint8Array | undefined> {
    this.#pdf ??= this.open()
    const page = await (await this.#pdf)?.getPage(number)
    try {
      return page && (await pictureOfPage(page))
    } finally {
      page?.cleanup()
    }
  }
}
