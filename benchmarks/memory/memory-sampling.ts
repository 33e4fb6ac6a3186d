import { existsSync, readdirSync, readFileSync } from 'node:fs'

const SAMPLE_EVERY_MS = 50
/** The shared memory of processes changes slowly, and reading it takes milliseconds. */
const SHARED_EVERY_MS = 1_000

/** True if the system shows the memory of other processes: Linux does. */
export const SEES_OTHERS: boolean = existsSync('/proc/thread-self/children')

/**
 * Peaks of resident memory in MB, in the first and the second half of the time. Memory is flat if the two are alike. A
 * child process counts with its proportional set size (proc_pid_smaps(5)), because it shares the program of Node with
 * others. The host counts with all of its memory.
 */
export interface MemoryPeaks {
  readonly hostFirstHalfMb: number
  readonly hostSecondHalfMb: number
  /** The host with all of its descendants. The host alone if {@link SEES_OTHERS} is false. */
  readonly withChildrenFirstHalfMb: number
  readonly withChildrenSecondHalfMb: number
}

interface Sample {
  readonly atMs: number
  readonly hostMb: number
  readonly withChildrenMb: number
}

/**
 * Samples the memory of a process until `end`. It runs in another process where the system allows it, because a process
 * that computes without a pause cannot sample itself.
 */
export class MemorySampling {
  readonly #samples: Sample[] = []
  readonly #shared = new Map<number, { readonly atMs: number; readonly mb: number }>()
  readonly #sample: () => void
  readonly #timer: ReturnType<typeof setInterval>

  /** @param pid id of the process; must be this process if {@link SEES_OTHERS} is false */
  constructor(pid: number) {
    this.#sample = () => this.#samples.push({ atMs: performance.now(), ...this.#memoryOf(pid) })
    this.#sample()
    this.#timer = setInterval(this.#sample, SAMPLE_EVERY_MS)
  }

  end(): MemoryPeaks {
    clearInterval(this.#timer)
    this.#sample()
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

  /** The part of a process's resident memory that counts for other processes. */
  #sharedMb(pid: number): number {
    const known = this.#shared.get(pid)
    const atMs = performance.now()
    if (known !== undefined && atMs - known.atMs < SHARED_EVERY_MS) return known.mb
    const rollup = readIfRunning(() => readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? ''
    const mb = megabytesIn(rollup, 'Rss') - megabytesIn(rollup, 'Pss')
    this.#shared.set(pid, { atMs, mb })
    return mb
  }
}

function peakMb(samples: readonly Sample[], figure: 'hostMb' | 'withChildrenMb'): number {
  return Math.round(Math.max(...samples.map((sample) => sample[figure])))
}

function residentMb(pid: number): number {
  return megabytesIn(readIfRunning(() => readFileSync(`/proc/${pid}/status`, 'utf8')) ?? '', 'VmRSS')
}

/** A value of a table with lines of `name: … kB`, in MB; 0 if it is missing. */
function megabytesIn(table: string, name: string): number {
  return (Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(table)?.[1] ?? 0) * 1_024) / 1e6
}

/** Linux lists a process as a child of the thread that started it. */
function descendantsOf(pid: number): number[] {
  const threads = readIfRunning(() => readdirSync(`/proc/${pid}/task`)) ?? []
  const children = threads.flatMap((thread) => {
    const list = readIfRunning(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')) ?? ''
    return list.split(' ').filter(Boolean).map(Number)
  })
  return children.flatMap((child) => [child, ...descendantsOf(child)])
}

/** Undefined if the process or the thread has ended in the meantime. */
function readIfRunning<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
