import { ProgressBar } from './output/progress-bar.js'
import { releasing } from './releasing.js'

/**
 * Runs work with a progress bar. Aborts the work if the user interrupts it.
 *
 * @param options.formatAmount writes an amount that is not one of bytes
 * @param options.onInterrupt called when the user interrupts
 */
export async function withByteProgress<T>(
  work: (signal: AbortSignal, onProgress: (progress: ByteProgress) => void) => Promise<T>,
  options: { readonly formatAmount?: (bytes: number) => string; readonly onInterrupt?: () => void } = {},
): Promise<T> {
  const { formatAmount = formatBytes, onInterrupt } = options
  const abort = new AbortController()
  const bar = new ProgressBar('{bar} {percentage}%  {done} of {size}')
  bar.show(0, 1, { done: formatAmount(0), size: '?' })
  const working = work(abort.signal, ({ bytes, totalBytes }) => {
    const total = Math.max(bytes, totalBytes, 1)
    bar.show(bytes, total, { done: formatAmount(bytes), size: formatAmount(total) })
  })
  return await releasing(
    async () => await working,
    async () => {
      bar.stop()
      abort.abort()
      await working.catch(() => undefined)
    },
    onInterrupt,
  )
}

interface ByteProgress {
  readonly bytes: number
  readonly totalBytes: number
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** For example `1.5 MB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1)
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1_000 ** power).toFixed(1)} ${UNITS[power] ?? ''}`
}
