import type { DocumentProgress } from '../../../src/index.js'
import { oneLine } from './output.js'
import { ProgressBar } from './progress-bar.js'

/** Time between two lines about a file that is still being processed, where no bar is shown. */
const LINE_MS = 15_000

/** The outputs of an ingestion, and its clock. */
export interface ProgressOutputs {
  /** Gets a line for each finished file: stdout, or stderr if stdout is reserved for JSON. */
  readonly results: Pick<NodeJS.WriteStream, 'write'>
  /** Gets the bar, if it is a terminal, or else a line from time to time. */
  readonly progress: NodeJS.WriteStream
  readonly now: () => number
}

/** The beginning of the embedding of a file, from which its speed is measured. */
interface Beginning {
  readonly at: number
  readonly windows: number
}

/**
 * Shows the progress of an ingestion: a line for each finished file, and the percent and the time left of the file that
 * is being processed. While the file is read, it shows the characters so far: its size in windows is unknown. That is a
 * bar on a terminal. Elsewhere it is a line every 15 seconds.
 */
export class IngestProgress {
  readonly #bar: ProgressBar
  readonly #beginnings = new Map<string, Beginning>()
  #finished = 0
  #toldAt: number

  constructor(
    private readonly total: number,
    private readonly outputs: ProgressOutputs,
  ) {
    this.#toldAt = outputs.now()
    this.#bar = new ProgressBar('{bar} {value}/{total} files  {file}', outputs.progress)
    this.#bar.show(0, total, { file: '' })
  }

  /** @param name the file that the progress is about */
  show(name: string, progress: DocumentProgress): void {
    const now = this.outputs.now()
    const text = oneLine(`${name}: ${this.#describe(progress, now)}`)
    this.#bar.show(this.#finished, this.total, { file: text })
    if (this.outputs.progress.isTTY || now - this.#toldAt < LINE_MS) return
    this.#toldAt = now
    this.outputs.progress.write(`${this.#finished}/${this.total} files; ${text}\n`)
  }

  /** Prints one line for a file that is done or has failed. */
  finishFile(path: string, outcome: string): void {
    this.#finished += 1
    // The bar is on the last line. It is cleared for the new line, and drawn below it.
    if (this.outputs.progress.isTTY) this.outputs.progress.write('\r\u001b[K')
    this.outputs.results.write(`${oneLine(`${path}: ${outcome}`)}\n`)
    this.#bar.show(this.#finished, this.total, { file: '' })
  }

  stop(): void {
    this.#bar.stop()
  }

  #describe(progress: DocumentProgress, now: number): string {
    const { fileName, charactersExtracted, windowsEmbedded, windowsTotal, percent } = progress
    if (windowsTotal === null || percent === null)
      return `reading, ${charactersExtracted.toLocaleString('en')} characters`
    const first = this.#beginnings.get(fileName)
    // A run that continues an earlier one begins with many windows. A new run of the file begins with fewer.
    if (first === undefined || windowsEmbedded < first.windows)
      this.#beginnings.set(fileName, { at: now, windows: windowsEmbedded })
    const done = first === undefined ? 0 : windowsEmbedded - first.windows
    if (first === undefined || done <= 0) return `${percent} %`
    const leftMs = ((now - first.at) / done) * (windowsTotal - windowsEmbedded)
    return `${percent} %, ${durationOf(leftMs)} left`
  }
}

/** For example `8 s`, `3 min` or `2 h 10 min`. */
function durationOf(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000))
  if (seconds < 90) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 90) return `${minutes} min`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
