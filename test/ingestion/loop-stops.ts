import { closeSync, openSync, readSync } from 'node:fs'

/**
 * The longest time for which the event loop of this thread does not turn. On a busy machine that figure says little.
 * Linux also reports the computing time of the main thread in between, which says more.
 */
export class LoopStops {
  longestMs = 0
  longestWorkMs = 0
  readonly #file: number | undefined = openOwnTimes()
  readonly #bytes = Buffer.alloc(128)
  readonly #measure: () => void
  readonly #timer: ReturnType<typeof setInterval>

  constructor(heard: (workMs: number) => void = () => undefined) {
    let turn = performance.now()
    let worked = this.#workedMs() ?? turn
    this.#measure = () => {
      const now = performance.now()
      const work = this.#workedMs() ?? now
      this.longestMs = Math.max(this.longestMs, now - turn)
      this.longestWorkMs = Math.max(this.longestWorkMs, work - worked)
      heard(work - worked)
      turn = now
      worked = work
    }
    this.#timer = setInterval(this.#measure, 1)
  }

  /** The time since the last timer counts too. */
  end(): void {
    clearInterval(this.#timer)
    this.#measure()
    if (this.#file !== undefined) closeSync(this.#file)
  }

  /**
   * The value of {@link longestWorkMs} at the speed that limits are meant for, because a shared machine is up to twice
   * as slow on some days. Read it after {@link end}: it measures the machine's speed at that moment.
   */
  get longestWorkAtFullSpeedMs(): number {
    return this.longestWorkMs / timesSlower()
  }

  /** Milliseconds of processor time of the main thread: the first number of its scheduler's statistics. */
  #workedMs(): number | undefined {
    if (this.#file === undefined) return undefined
    const length = readSync(this.#file, this.#bytes, 0, this.#bytes.length, 0)
    return Number(this.#bytes.toString('latin1', 0, length).split(' ')[0]) / 1e6
  }
}

/**
 * Repeats work until its longest time between two turns is below a limit. A computation that blocks the event loop does
 * so in each round. A garbage collection, or a pause of the machine, does so in some rounds only.
 *
 * @returns the least of the rounds' {@link LoopStops.longestWorkAtFullSpeedMs}
 */
export async function leastOfLongestWorkMs(
  work: () => Promise<unknown>,
  { belowMs = 50, rounds = 6 }: { readonly belowMs?: number; readonly rounds?: number } = {},
): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds && least >= belowMs; round += 1) {
    const stops = new LoopStops()
    await work()
    stops.end()
    least = Math.min(least, stops.longestWorkAtFullSpeedMs)
  }
  return least
}

function openOwnTimes(): number | undefined {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  } catch {
    return undefined
  }
}

/** Milliseconds that {@link workFor} takes at the speed that limits are meant for. */
const FULL_SPEED_MS = 10
const TRIES = 7

/** The factor by which this machine is slower than the limits assume: 1 or more. */
function timesSlower(): number {
  const tries = Array.from({ length: TRIES }, () => workFor())
  return Math.max(1, Math.min(...tries) / FULL_SPEED_MS)
}

/** Processor time in ms of a fixed piece of work: strings, a map and sums. */
function workFor(): number {
  const before = process.cpuUsage()
  const counts = new Map<string, number>()
  for (let at = 0; at < 200_000; at += 1) {
    const key = `k${at % 5_000}`
    counts.set(key, (counts.get(key) ?? 0) + key.length)
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
