import { existsSync, readdirSync, readFileSync } from 'node:fs'

const SAMPLE_EVERY_MS = 50
/** What processes share changes slowly, and takes the system milliseconds to tell. */
const SHARED_EVERY_MS = 1_000

/** Whether the system tells of processes that are not one's own: Linux does. */
export const SEES_OTHERS: boolean = existsSync('/proc/thread-self/children')

/**
 * Peaks of resident memory in MB, in the first half of the time and in the second: flat if they are alike. Of a process
 * that the host has started, what it shares with others, such as the program of Node, counts in parts: its proportional
 * set size (proc_pid_smaps(5)). All of the host's counts.
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
  readonly #shared = new Map<number, { readonly atMs: number; readonly mb: number }>()
  readonly #look: () => void
  readonly #timer: ReturnType<typeof setInterval>

  /** @param pid of the process; only this one where {@link SEES_OTHERS} is not */
  constructor(pid: number) {
    this.#look = () => this.#samples.push({ atMs: performance.now(), ...this.#memoryOf(pid) })
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

  #memoryOf(pid: number): Omit<Sample, 'atMs'> {
    if (!SEES_OTHERS) {
      const hostMb = process.memoryUsage.rss() / 1e6
      return { hostMb, withChildrenMb: hostMb }
    }
    const hostMb = residentMb(pid)
    const childrenMb = descendantsOf(pid).map((child) => Math.max(residentMb(child) - this.#sharedMb(child), 0))
    return { hostMb, withChildrenMb: childrenMb.reduce((sum, mb) => sum + mb, hostMb) }
  }

  /** The parts of a process's resident memory that count for others. */
  #sharedMb(pid: number): number {
    const known = this.#shared.get(pid)
    const atMs = performance.now()
    if (known !== undefined && atMs - known.atMs < SHARED_EVERY_MS) return known.mb
    const rollup = told(() => readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? ''
    const mb = megabytesIn(rollup, 'Rss') - megabytesIn(rollup, 'Pss')
    this.#shared.set(pid, { atMs, mb })
    return mb
  }
}

function peakMb(samples: readonly Sample[], figure: 'hostMb' | 'withChildrenMb'): number {
  return Math.round(Math.max(...samples.map((sample) => sample[figure])))
}

function residentMb(pid: number): number {
  return megabytesIn(told(() => readFileSync(`/proc/${pid}/status`, 'utf8')) ?? '', 'VmRSS')
}

/** Of a table of `name: … kB`; 0 where it is not in it. */
function megabytesIn(table: string, name: string): number {
  return (Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(table)?.[1] ?? 0) * 1_024) / 1e6
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
