import { getPriority, setPriority } from 'node:os'

/**
 * Gives this process a niceness, on Linux this thread alone. A process that the user started with a higher niceness
 * keeps that one: without the right to lower it, the system would refuse. A system that refuses any change costs only
 * the lower priority.
 *
 * @param niceness 1 to 19; a higher one gets less time of the processors
 */
export function lowerPriority(niceness: number): void {
  try {
    if (getPriority() < niceness) setPriority(niceness)
  } catch {
    // Some containers forbid both calls.
  }
}
