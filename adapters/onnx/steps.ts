import { setImmediate } from 'node:timers/promises'

/** The longest time for which the host's event loop is blocked. */
const SLICE_MS = 8

/** Work in short steps. The caller may pause between two of them. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** Runs all steps at once, in a thread that no other work needs. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/**
 * Runs the steps in slices of 8 ms; the event loop runs between them. Each slice has a turn of the loop of its own,
 * the first one too: one step may take tens of milliseconds.
 */
export async function runInSlices<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    await setImmediate()
    const until = performance.now() + SLICE_MS
    let step = steps.next()
    while (step.done !== true && performance.now() < until) step = steps.next()
    if (step.done === true) return step.value
  }
}
