/** Clocks of processes may differ by so much, and may be set back by so much, without an effect. */
export const CLOCK_DIFFERENCE_MS: number = 5 * 60_000

/**
 * True while a thing of limited life is valid. An end that is farther away than the lifetime is from before the clock
 * was set back. It counts as past: otherwise the step of the clock would make the thing's life longer.
 *
 * @param lifetimeMs the longest lifetime of such things
 */
export function isBeforeEnd(end: Date, now: Date, lifetimeMs: number): boolean {
  return end > now && end <= latestEnd(now, lifetimeMs)
}

/** The latest end that a valid thing can have. @param lifetimeMs as for {@link isBeforeEnd} */
export function latestEnd(now: Date, lifetimeMs: number): Date {
  return new Date(now.getTime() + lifetimeMs + CLOCK_DIFFERENCE_MS)
}
