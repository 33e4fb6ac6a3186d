import { Presets, SingleBar } from 'cli-progress'
import { releasing } from './releasing.js'

/** Shows on a terminal how many bytes are done. Shows nothing if stderr is not a terminal. */
class ByteProgress {
  readonly #bar: SingleBar | undefined
  readonly #format: (bytes: number) => string

  constructor(formatAmount: (bytes: number) => string) {
    this.#format = formatAmount
    if (!process.stderr.isTTY) return
    const format = '{bar} {percentage}%  {done} of {size}'
    this.#bar = new SingleBar({ format, stream: process.stderr, clearOnComplete: true }, Presets.shades_classic)
    this.#bar.start(1, 0, { done: formatAmount(0), size: '?' })
  }

  update({ bytes, totalBytes }: { readonly bytes: number; readonly totalBytes: number }): void {
    if (this.#bar === undefined) return
    const total = Math.max(bytes, totalBytes, 1)
    this.#bar.setTotal(total)
    this.#bar.update(bytes, { done: this.#format(bytes), size: this.#format(total) })
  }

  stop(): void {
    this.#bar?.stop()
  }
}

/**
 * Runs work with a progress bar. Aborts the work if the user interrupts it.
 * @param options `formatAmount` writes an amount that is not one of bytes; `onInterrupt` is called when the user interrupts
 */
export async function withByteProgress<T>(
  work: (signal: AbortSignal, onProgress: ByteProgress['update']) => Promise<T>,
  options: { readonly formatAmount?: (bytes: number) => string; readonly onInterrupt?: () => void } = {},
): Promise<T> {
  const abort = new AbortController()
  const progress = new ByteProgress(options.formatAmount ?? formatBytes)
  const working = work(abort.signal, (done) => {
    progress.update(done)
  })
  return await releasing(
    async () => await working,
    async () => {
      progress.stop()
      abort.abort()
      await working.catch(() => undefined)
    },
    options.onInterrupt,
  )
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** For example `1.5 MB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1)
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1_000 ** power).toFixed(1)} ${UNITS[power] ?? ''}`
}
