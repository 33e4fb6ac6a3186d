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

/** Who may be served next: how much of it runs, and when it had its last turn. */
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

/** Turns are remembered for so many more than wait now. */
const MOST_FORGOTTEN = 1_000

/**
 * Deals free places among lanes with due jobs, one after the other: to the company of which fewest jobs run, then
 * to the one that has not had a turn for longest; within it likewise among its lanes. However many and however
 * long the queues of others are, a lane that comes anew is served next.
 */
export class FairShares {
  #turn = 0
  #laneTurns = new Map<number, number>()
  #companyTurns = new Map<number, number>()

  deal(waiting: readonly WaitingLane[], { free, mostPerLane, running }: Occupancy): LaneShare[] {
    const ofLane = counts(running.map(({ lane }) => lane))
    const ofCompany = counts(running.map(({ companyId }) => companyId))
    const companies = new Map<number, Candidate>()
    const lanes: LaneCandidate[] = []
    for (const { lane, companyId, dueInMs } of waiting) {
      const runs = ofLane.get(lane) ?? 0
      if (dueInMs > 0 || runs >= mostPerLane) continue
      let company = companies.get(companyId)
      if (company === undefined) {
        company = { running: ofCompany.get(companyId) ?? 0, turn: this.#companyTurns.get(companyId) ?? 0 }
        companies.set(companyId, company)
      }
      lanes.push({ lane, companyId, company, running: runs, turn: this.#laneTurns.get(lane) ?? 0, share: 0 })
    }
    for (let place = 0; place < free; place += 1) {
      const next = leastServed(lanes, mostPerLane)
      if (next === undefined) break
      this.#turn += 1
      next.share += 1
      for (const served of [next, next.company]) {
        served.running += 1
        served.turn = this.#turn
      }
    }
    this.#remember(waiting, lanes)
    return lanes.filter(({ share }) => share > 0).map(({ lane, share }) => ({ lane, most: share }))
  }

  /** Who does not wait any more is forgotten, now and then. */
  #remember(waiting: readonly WaitingLane[], lanes: readonly LaneCandidate[]): void {
    if (this.#laneTurns.size > waiting.length + MOST_FORGOTTEN) {
      const [kept, keptCompanies] = [this.#laneTurns, this.#companyTurns]
      this.#laneTurns = new Map(waiting.map(({ lane }) => [lane, kept.get(lane) ?? 0]))
      this.#companyTurns = new Map(waiting.map(({ companyId }) => [companyId, keptCompanies.get(companyId) ?? 0]))
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

function counts(keys: readonly number[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  for (const key of keys) found.set(key, (found.get(key) ?? 0) + 1)
  return found
}
