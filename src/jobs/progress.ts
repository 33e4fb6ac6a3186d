import type { WaitingLane } from '../ports/index.js'

/** A retry that is so near is waited for by who waits for all jobs. */
const NEAR_MS = 5_000
/** On a full disk nobody waits longer than that for jobs that may be tried once more. */
const LONGEST_WAIT_FOR_ROOM_MS = 10_000

/** How far a worker has come: all jobs are `done`; or those that are left have found a disk `full`, or have `failed`. */
export type Progress = 'done' | 'full' | 'failed'

/** What is known of a worker of which nothing runs at the moment. */
export interface Standstill {
  readonly waiting: readonly WaitingLane[]
  /** Whether the last thing that it tried found a disk full. */
  readonly isWithoutRoom: boolean
  /** Whether the last job has failed. */
  readonly isFailing: boolean
  /** How long somebody waits for the end of all jobs. */
  readonly waitedMs: number
}

/** How far it has come; `undefined` where more is to be done soon. */
export function progressAt({ waiting, isWithoutRoom, isFailing, waitedMs }: Standstill): Progress | undefined {
  if (waiting.length === 0) return 'done'
  const dueInMs = Math.min(...waiting.map((lane) => lane.dueInMs))
  // What has found no room is due a while later: all have tried.
  if (isWithoutRoom && (dueInMs > 0 || waitedMs > LONGEST_WAIT_FOR_ROOM_MS)) return 'full'
  return isFailing && dueInMs > NEAR_MS ? 'failed' : undefined
}
