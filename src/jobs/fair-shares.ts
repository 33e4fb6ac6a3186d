import type { LaneShare, WaitingLane } from '../ports/index.js'

/** Running jobs, and the capacity for further jobs. */
export interface Occupancy {
  /** Number of jobs that can start now. */
  readonly free: number
  /** Most jobs of one lane at a time. */
  readonly mostPerLane: number
  /** The last of the free places, which only companies without a running job get; default 0. */
  readonly newcomerPlaces?: number
  /** Lanes and companies of the running jobs. */
  readonly running: readonly { readonly lane: number; readonly companyId: number }[]
}

/** A lane or a company: its number of running jobs, and the number of its last turn. */
interface Candidate {
  running: number
  turn: number
}

interface LaneCandidate extends Candidate {
  readonly lane: number
  readonly companyId: number
  readonly company: Candidate
  share: number
}

/** Most remembered turns of lanes that no longer wait. */
const MAX_IDLE_TURNS = 1_000

/**
 * Deals free places among lanes with due jobs, one place after the other. A place goes to the company with the fewest
 * running jobs, then to the company whose last turn is oldest. The same rule applies to the lanes of a company. So a
 * new lane is served next, however many and however long the other queues are. `newcomerPlaces` stay free for it where
 * the jobs of one company take long.
 */
export class FairShares {
  #turn = 0
  #laneTurns = new Map<number, number>()
  #companyTurns = new Map<number, number>()

  deal(waiting: readonly WaitingLane[], { free, mostPerLane, newcomerPlaces = 0, running }: Occupancy): LaneShare[] {
    const runningOfLane = countEach(running.map(({ lane }) => lane))
    const runningOfCompany = countEach(running.map(({ companyId }) => companyId))
    const companies = new Map<number, Candidate>()
    const lanes: LaneCandidate[] = []
    for (const { lane, companyId, dueInMs } of waiting) {
      const runningInLane = runningOfLane.get(lane) ?? 0
      if (dueInMs > 0 || runningInLane >= mostPerLane) continue
      let company = companies.get(companyId)
      if (company === undefined) {
        company = { running: runningOfCompany.get(companyId) ?? 0, turn: this.#companyTurns.get(companyId) ?? 0 }
        companies.set(companyId, company)
      }
      lanes.push({ lane, companyId, company, running: runningInLane, turn: this.#laneTurns.get(lane) ?? 0, share: 0 })
    }
    for (let place = 0; place < free; place += 1) {
      const next = leastServed(lanes, mostPerLane)
      if (next === undefined) break
      // The least served company comes first: if it runs something, all others do.
      if (place >= free - newcomerPlaces && next.company.running > 0) break
      this.#turn += 1
      next.share += 1
      for (const served of [next, next.company]) {
        served.running += 1
        served.turn = this.#turn
      }
    }
    this.#rememberTurns(waiting, lanes)
    return lanes.filter(({ share }) => share > 0).map(({ lane, share }) => ({ lane, most: share }))
  }

  /** Also forgets lanes and companies that no longer wait, once there are many. */
  #rememberTurns(waiting: readonly WaitingLane[], lanes: readonly LaneCandidate[]): void {
    if (this.#laneTurns.size > waiting.length + MAX_IDLE_TURNS) {
      const [laneTurns, companyTurns] = [this.#laneTurns, this.#companyTurns]
      this.#laneTurns = new Map(waiting.map(({ lane }) => [lane, laneTurns.get(lane) ?? 0]))
      this.#companyTurns = new Map(waiting.map(({ companyId }) => [companyId, companyTurns.get(companyId) ?? 0]))
    }
    for (const { lane, turn, companyId, company, share } of lanes) {
      if (share === 0) continue
      this.#laneTurns.set(lane, turn)
      this.#companyTurns.set(companyId, company.turn)
    }
  }
}

function leastServed(lanes: readonly LaneCandidate[], mostPerLane: number): LaneCandidate | undefined {
  let least: LaneCandidate | undefined
  for (const lane of lanes) {
    if (lane.running < mostPerLane && (least === undefined || isServedLess(lane, least))) least = lane
  }
  return least
}

function isServedLess(one: LaneCandidate, other: LaneCandidate): boolean {
  if (one.company !== other.company) {
    if (one.company.running !== other.company.running) return one.company.running < other.company.running
    if (one.company.turn !== other.company.turn) return one.company.turn < other.company.turn
  }
  if (one.running !== other.running) return one.running < other.running
  return one.turn < other.turn
}

function countEach(keys: readonly number[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}
