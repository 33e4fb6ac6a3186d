import { existsSync, readdirSync, readFileSync } from 'node:fs'

const SAMPLE_EVERY_MS = 50

/** Whether the system tells of processes that are not one's own: Linux does. */
export const SEES_OTHERS: boolean = existsSync('/proc/thread-self/children')

/**
 * Peaks of resident memory in MB, in the first half of the time and in the second: flat if they are alike. What
 * processes share, such as the program of Node itself, counts once for each of them.
 */
export interface MemoryPeaks {
  readonly hostFirstHalfMb: number
  readonly hostSecondHalfMb: number
  /** With all processes that the host has started, and they in turn; where {@link SEES_OTHERS} is not, the host alone. */
  readonly withChildrenFirstHalfMb: number
  readonly withChildrenSecondHalfMb: number
}

interface Sample {
  readonly atMs: number
  readonly hostMb: number
  readonly withChildrenMb: number
}

/**
 * Looks at the memory of a process again and again, from now on. From another process, if the system lets it: one that
 * computes without a pause could not look at itself.
 */
export class MemorySampling {
  readonly #samples: Sample[] = []
  readonly #look: () => void
  readonly #timer: ReturnType<typeof setInterval>

  /** @param pid of the process; only this one where {@link SEES_OTHERS} is not */
  constructor(pid: number) {
    this.#look = () => this.#samples.push({ atMs: performance.now(), ...memoryOf(pid) })
    this.#look()
    this.#timer = setInterval(this.#look, SAMPLE_EVERY_MS)
  }

  end(): MemoryPeaks {
    clearInterval(this.#timer)
    this.#look()
    const middleMs = ((this.#samples[0]?.atMs ?? 0) + (this.#samples.at(-1)?.atMs ?? 0)) / 2
    const firstHalf = this.#samples.filter(({ atMs }) => atMs < middleMs)
    const secondHalf = this.#samples.filter(({ atMs }) => atMs >= middleMs)
    return {
      hostFirstHalfMb: peakMb(firstHalf, 'hostMb'),
      hostSecondHalfMb: peakMb(secondHalf, 'hostMb'),
      withChildrenFirstHalfMb: peakMb(firstHalf, 'withChildrenMb'),
      withChildrenSecondHalfMb: peakMb(secondHalf, 'withChildrenMb'),
    }
  }
}

function peakMb(samples: readonly Sample[], figure: 'hostMb' | 'withChildrenMb'): number {
  return Math.round(Math.max(...samples.map((sample) => sample[figure])))
}

function memoryOf(pid: number): Omit<Sample, 'atMs'> {
  if (!SEES_OTHERS) {
    const hostMb = process.memoryUsage.rss() / 1e6
    return { hostMb, withChildrenMb: hostMb }
  }
  const hostMb = residentMb(pid)
  return { hostMb, withChildrenMb: descendantsOf(pid).reduce((sum, child) => sum + residentMb(child), hostMb) }
}

function residentMb(pid: number): number {
  const status = told(() => readFileSync(`/proc/${pid}/status`, 'utf8')) ?? ''
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1_024) / 1e6
}

/** A process is the child of that thread which has started it. */
function descendantsOf(pid: number): number[] {
  const threads = told(() => readdirSync(`/proc/${pid}/task`)) ?? []
  const children = threads.flatMap((thread) => {
    const list = told(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')) ?? ''
    return list.split(' ').filter(Boolean).map(Number)
  })
  return children.flatMap((child) => [child, ...descendantsOf(child)])
}

/** Undefined for what has ended since it was named. */
function told<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
