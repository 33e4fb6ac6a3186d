import { setImmediate } from 'node:timers/promises'

/** Longest time in which a host's event loop is kept from other work. */
const SLICE_MS = 8

/** Work in short steps: whoever does it may stop between two of them. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** Does all steps at once, where nobody waits for the thread. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** Does the steps in slices of 8 ms, between which the event loop turns. */
export async function inSlices<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const until = performance.now() + SLICE_MS
    let step = steps.next()
    while (step.done !== true && performance.now() < until) step = steps.next()
    if (step.done === true) return step.value
    await setImmediate()
  }
}
