import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FairShares, type Occupancy } from '../../../src/jobs/fair-shares.js'
import type { WaitingLane } from '../../../src/ports/index.js'

const fairShares = (waiting: readonly WaitingLane[], occupancy: Occupancy) => new FairShares().deal(waiting, occupancy)
const lane = (number: number, companyId: number, dueInMs = 0) => ({ lane: number, companyId, dueInMs })

describe('the division into fair shares', () => {
  it('gives places to lanes one after the other, up to the limit of a lane', () => {
    const waiting = [lane(1, 1), lane(2, 1), lane(3, 1)]
    expect(fairShares(waiting, { free: 7, mostPerLane: 3, running: [] })).toEqual([
      { lane: 1, most: 3 },
      { lane: 2, most: 2 },
      { lane: 3, most: 2 },
    ])
    expect(fairShares(waiting, { free: 99, mostPerLane: 3, running: [lane(2, 1), lane(2, 1)] })).toEqual([
      { lane: 1, most: 3 },
      { lane: 2, most: 1 },
      { lane: 3, most: 3 },
    ])
  })

  it('gives a company with one lane as much as one with a hundred', () => {
    const waiting = [...Array.from({ length: 100 }, (_, number) => lane(number, 1)), lane(100, 2)]
    const shares = fairShares(waiting, { free: 8, mostPerLane: 4, running: [] })
    expect(shares.find((share) => share.lane === 100)).toEqual({ lane: 100, most: 4 })
    expect(shares.filter((share) => share.lane !== 100).map(({ most }) => most)).toEqual([1, 1, 1, 1])
  })

  it('keeps the last places for companies that run nothing, as long as only others wait', () => {
    const running = [lane(1, 1), lane(1, 1), lane(2, 1)]
    const places = { free: 2, mostPerLane: 9, newcomerPlaces: 1, running }
    expect(fairShares([lane(1, 1), lane(3, 1)], places)).toEqual([{ lane: 3, most: 1 }])
    expect(fairShares([lane(1, 1), lane(4, 2)], places)).toEqual([{ lane: 4, most: 1 }])
    expect(fairShares([lane(1, 1), lane(4, 2)], { ...places, free: 1 })).toEqual([{ lane: 4, most: 1 }])
    expect(fairShares([lane(1, 1), lane(3, 1)], { ...places, free: 1 })).toEqual([])
  })

  it('serves a new lane next, whatever the length of the other queues', () => {
    const shares = new FairShares()
    const long = Array.from({ length: 100 }, (_, number) => lane(number, 1))
    for (let deal = 0; deal < 300; deal += 1) shares.deal(long, { free: 1, mostPerLane: 1, running: [] })
    expect(shares.deal([...long, lane(100, 1)], { free: 1, mostPerLane: 1, running: [] })).toEqual([
      { lane: 100, most: 1 },
    ])
    expect(shares.deal([...long, lane(101, 2)], { free: 1, mostPerLane: 1, running: [] })).toEqual([
      { lane: 101, most: 1 },
    ])
  })

  it('gives every lane its turn', () => {
    const shares = new FairShares()
    const lanes = Array.from({ length: 50 }, (_, number) => lane(number, number % 5))
    const served = new Map<number, number>()
    for (let deal = 0; deal < 250; deal += 1) {
      for (const { lane: number, most } of shares.deal(lanes, { free: 2, mostPerLane: 2, running: [] })) {
        served.set(number, (served.get(number) ?? 0) + most)
      }
    }
    expect([...served.values()]).toEqual(Array(50).fill(10))
  })

  it('skips jobs that are not due, and gives out nothing when no place is free', () => {
    expect(fairShares([lane(1, 1, 5)], { free: 4, mostPerLane: 4, running: [] })).toEqual([])
    expect(fairShares([lane(1, 1)], { free: 0, mostPerLane: 4, running: [] })).toEqual([])
    expect(fairShares([lane(1, 1)], { free: 4, mostPerLane: 1, running: [lane(1, 1)] })).toEqual([])
  })

  it('never gives out more than the free places, nor more than a lane may run; leaves no place free that a lane could use', () => {
    const lanes = fc.uniqueArray(
      fc.record({ lane: fc.nat(30), companyId: fc.nat(4), dueInMs: fc.constantFrom(0, 0, 9) }),
      {
        selector: (each) => each.lane,
      },
    )
    fc.assert(
      fc.property(
        lanes,
        fc.nat(40),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.nat(30)),
        (waiting, free, mostPerLane, held) => {
          const running = held.map((number) =>
            lane(number, waiting.find((each) => each.lane === number)?.companyId ?? 9),
          )
          const shares = fairShares(waiting, { free, mostPerLane, running })
          const dealt = shares.reduce((sum, { most }) => sum + most, 0)
          expect(dealt).toBeLessThanOrEqual(free)
          let room = 0
          for (const { lane: number, dueInMs } of waiting) {
            const runs = running.filter((each) => each.lane === number).length
            const most = shares.find((share) => share.lane === number)?.most ?? 0
            if (most > 0) expect(runs + most).toBeLessThanOrEqual(mostPerLane)
            if (dueInMs > 0) expect(most).toBe(0)
            else room += Math.max(0, mostPerLane - runs)
          }
          expect(dealt).toBe(Math.min(free, room))
        },
      ),
    )
  })
})
