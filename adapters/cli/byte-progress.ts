import { Presets, SingleBar } from 'cli-progress'
import { releasing } from './releasing.js'

/** Shows on a terminal how many bytes are done; elsewhere it shows nothing. */
class ByteProgress {
  readonly #bar: SingleBar | undefined
  readonly #inWords: (bytes: number) => string

  constructor(inWords: (bytes: number) => string) {
    this.#inWords = inWords
    if (!process.stderr.isTTY) return
    const format = '{bar} {percentage}%  {done} of {size}'
    this.#bar = new SingleBar({ format, stream: process.stderr, clearOnComplete: true }, Presets.shades_classic)
    this.#bar.start(1, 0, { done: inWords(0), size: '?' })
  }

  update({ bytes, totalBytes }: { readonly bytes: number; readonly totalBytes: number }): void {
    if (this.#bar === undefined) return
    const total = Math.max(bytes, totalBytes, 1)
    this.#bar.setTotal(total)
    this.#bar.update(bytes, { done: this.#inWords(bytes), size: this.#inWords(total) })
  }

  stop(): void {
    this.#bar?.stop()
  }
}

/**
 * Shows how far it is, and ends it where the user interrupts.
 * @param options `inWords` tells an amount, where it is not one of bytes; `interrupted` is called where the user does
 */
export async function withByteProgress<T>(
  work: (signal: AbortSignal, onProgress: ByteProgress['update']) => Promise<T>,
  options: { readonly inWords?: (bytes: number) => string; readonly interrupted?: () => void } = {},
): Promise<T> {
  const abort = new AbortController()
  const progress = new ByteProgress(options.inWords ?? inUnits)
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
    options.interrupted,
  )
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** Such as `1.5 MB`. */
export function inUnits(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1)
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1_000 ** power).toFixed(1)} ${UNITS[power] ?? ''}`
}
