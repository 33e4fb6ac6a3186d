import { Presets, SingleBar } from 'cli-progress'
import { oneLine } from './output.js'

/** Shows the progress of an ingestion: a bar on a terminal, and one line for each file. */
export class IngestProgress {
  readonly #bar: SingleBar | undefined
  readonly #stream: NodeJS.WriteStream

  /** @param isForPrograms true if stdout is reserved for JSON */
  constructor(total: number, isForPrograms: boolean) {
    this.#stream = isForPrograms ? process.stderr : process.stdout
    if (!process.stderr.isTTY) return
    const format = '{bar} {value}/{total} files  {windows} windows embedded'
    this.#bar = new SingleBar({ format, stream: process.stderr, clearOnComplete: true }, Presets.shades_classic)
    this.#bar.start(total, 0, { windows: 0 })
  }

  showWindows(windowsEmbedded: number): void {
    this.#bar?.update({ windows: windowsEmbedded })
  }

  /** Prints one line for a file that is done or has failed. */
  finishFile(path: string, outcome: string): void {
    // The bar is on the last line. It is cleared for the new line, and drawn below it.
    if (this.#bar !== undefined) process.stderr.write('\r\u001b[K')
    this.#stream.write(`${oneLine(`${path}: ${outcome}`)}\n`)
    this.#bar?.increment()
  }

  stop(): void {
    this.#bar?.stop()
  }
}
