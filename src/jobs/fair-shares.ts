import type { LaneShare, WaitingLane } from '../ports/index.js'

/** What runs already, and how much may. */
export interface Occupancy {
  /** Places that are free. */
  readonly free: number
  /** Most jobs of one lane at a time. */
  readonly mostPerLane: number
  /** Lanes and companies of the jobs that run. */
  readonly running: readonly { readonly lane: number; readonly companyId: number }[]
}

/**
 * Deals the free places among lanes with due jobs, one after the other: each to the company that has
 * fewest, within it to the lane that has fewest, and then to the one that has waited longest. However long one
 * queue is, others are served beside it.
 *
 * @param waiting first those that have waited longest
 */
export function fairShares(waiting: readonly WaitingLane[], { free, mostPerLane, running }: Occupancy): LaneShare[] {
  const ofLane = counts(running.map(({ lane }) => lane))
  const ofCompany = counts(running.map(({ companyId }) => companyId))
  const shares = new Map<number, number>()
  const due = waiting.filter(({ dueInMs }) => dueInMs === 0)
  for (let place = 0; place < free; place += 1) {
    let next: WaitingLane | undefined
    for (const lane of due) {
      if (get(ofLane, lane.lane) >= mostPerLane) continue
      if (next === undefined || isServedLess(lane, next, ofLane, ofCompany)) next = lane
    }
    if (next === undefined) break
    ofLane.set(next.lane, get(ofLane, next.lane) + 1)
    ofCompany.set(next.companyId, get(ofCompany, next.companyId) + 1)
    shares.set(next.lane, get(shares, next.lane) + 1)
  }
  return Array.from(shares, ([lane, most]) => ({ lane, most }))
}

type Counts = Map<number, number>

function isServedLess(one: WaitingLane, other: WaitingLane, ofLane: Counts, ofCompany: Counts): boolean {
  const byCompany = get(ofCompany, one.companyId) - get(ofCompany, other.companyId)
  return (byCompany || get(ofLane, one.lane) - get(ofLane, other.lane)) < 0
}

function counts(keys: readonly number[]): Counts {
  const found: Counts = new Map()
  for (const key of keys) found.set(key, get(found, key) + 1)
  return found
}

function get(of: Counts, key: number): number {
  return of.get(key) ?? 0
}
