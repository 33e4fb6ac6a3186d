import { Presets, SingleBar } from 'cli-progress'
import { oneLine } from './output.js'

/** Tells how far an ingestion is: a bar on a terminal, and one line for each file. */
export class IngestProgress {
  readonly #bar: SingleBar | undefined
  readonly #stream: NodeJS.WriteStream

  /** @param isForPrograms whether stdout is kept for JSON */
  constructor(total: number, isForPrograms: boolean) {
    this.#stream = isForPrograms ? process.stderr : process.stdout
    if (!process.stderr.isTTY) return
    const format = '{bar} {value}/{total} files  {windows} windows embedded'
    this.#bar = new SingleBar({ format, stream: process.stderr, clearOnComplete: true }, Presets.shades_classic)
    this.#bar.start(total, 0, { windows: 0 })
  }

  /** A document goes on. */
  working(windowsEmbedded: number): void {
    this.#bar?.update({ windows: windowsEmbedded })
  }

  /** A file is done, or has failed. */
  done(path: string, outcome: string): void {
    // The bar stands on the last line: it goes away for the line, and comes back under it.
    if (this.#bar !== undefined) process.stderr.write('\r\u001b[K')
    this.#stream.write(`${oneLine(`${path}: ${outcome}`)}\n`)
    this.#bar?.increment()
  }

  stop(): void {
    this.#bar?.stop()
  }
}
