const FIRST_POLL_MS = 3_000
const LONGEST_POLL_MS = 15_000

/** The pause before another question for what may have changed. @param polls questions until now */
export function pollMs(polls: number): number {
  return Math.min(LONGEST_POLL_MS, FIRST_POLL_MS * 1.2 ** polls)
}
