import { onTestFinished } from 'vitest'

/** A longer step is a pause: the machine ran other processes, or this one collected garbage. */
const LONGEST_STEP_MS = 10

/**
 * Measures, to the end of a test, the time for which its process can run: time in which a busy machine runs other
 * processes does not count. For a test of how long something waits.
 *
 * @returns a function that gives the time until now in ms, which is at most that of the wall clock
 */
export function runningTime(): () => number {
  let ms = 0
  let before = performance.now()
  const step = (): number => {
    const now = performance.now()
    ms += Math.min(now - before, LONGEST_STEP_MS)
    before = now
    return ms
  }
  const timer = setInterval(step, 1)
  onTestFinished(() => clearInterval(timer))
  return step
}
