import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FairScheduler, Places } from '../../../../src/kernel/scheduling/fair-scheduler.js'
import { sized } from '../../../full-form.js'

interface Piece {
  readonly group: number
  readonly member: number
  readonly request: number
  readonly index: number
  readonly signal: AbortSignal
  end(error?: Error): void
}

/** A scheduler whose pieces the test ends one by one. */
class Desk {
  readonly begun: Piece[] = []
  readonly running: Piece[] = []
  readonly outcomes = new Map<number, unknown>()
  readonly #turns: FairScheduler
  #requests = 0

  constructor(places: number) {
    this.#turns = new FairScheduler(places)
  }

  /** @returns the number of the request */
  ask(group: number, member: number, pieces: number, signal?: AbortSignal): number {
    const request = this.#requests
    this.#requests += 1
    const works = Array.from({ length: pieces }, (_, index) => async (abort: AbortSignal) => {
      return await new Promise<string>((resolve, reject) => {
        const piece: Piece = {
          ...{ group, member, request, index, signal: abort },
          end: (error) => {
            this.running.splice(this.running.indexOf(piece), 1)
            if (error === undefined) resolve(`${request}.${index}`)
            else reject(error)
          },
        }
        this.begun.push(piece)
        this.running.push(piece)
      })
    })
    this.#turns.all({ group, member }, works, signal).then(
      (results) => this.outcomes.set(request, results),
      (error: unknown) => this.outcomes.set(request, error),
    )
    return request
  }

  async endAll(): Promise<void> {
    for (let piece = this.running[0]; piece !== undefined; piece = this.running[0]) {
      piece.end()
      await settled()
    }
  }
}

async function settled(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
}

describe('the scheduler of fair turns', () => {
  // A30
  it('serves a new group after one piece of another, however long the queue of that other is', async () => {
    const desk = new Desk(1)
    for (let number = 0; number < 48; number += 1) desk.ask(1, number % 3, 100)
    desk.ask(2, 0, 1)
    for (let ended = 0; ended < 3; ended += 1) {
      desk.running[0]?.end()
      await settled()
    }
    expect(desk.begun.map(({ group, member }) => [group, member])).toEqual([
      [1, 0],
      [1, 0],
      [2, 0],
      [1, 1],
    ])
  })

  // A30
  it('rotates over groups, over the members of a group, and over pieces by age', async () => {
    const desk = new Desk(1)
    desk.ask(1, 1, 2)
    desk.ask(1, 1, 1)
    desk.ask(1, 2, 1)
    desk.ask(2, 1, 3)
    await desk.endAll()
    const order = desk.begun.map(({ group, member, request, index }) => [group, member, request, index].join(' '))
    expect(order).toEqual(['1 1 0 0', '1 1 0 1', '2 1 3 0', '1 2 2 0', '2 1 3 1', '1 1 1 0', '2 1 3 2'])
    expect(desk.outcomes.get(0)).toEqual(['0.0', '0.1'])
  })

  // A30
  it('leaves no place free while a member waits, serves each piece once and in order for each member, and passes nobody over', async () => {
    const command = fc.oneof(
      { weight: 4, arbitrary: fc.record({ ask: fc.tuple(fc.nat(3), fc.nat(2), fc.integer({ min: 1, max: 6 })) }) },
      { weight: 6, arbitrary: fc.record({ end: fc.nat(20), fails: fc.boolean() }) },
      { weight: 1, arbitrary: fc.record({ abort: fc.nat(20) }) },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(command, { maxLength: 60 }),
        async (places, commands) => {
          const desk = new Desk(places)
          const asked: { group: number; member: number; pieces: number; abort: AbortController }[] = []
          /** Pieces of other groups since a group began to wait with nothing running, for each such group. */
          const passed = new Map<number, number[]>()
          let seen = 0
          const isOver = (request: number) => desk.outcomes.has(request)
          const waits = (group: number) =>
            asked.some(({ group: own, pieces }, request) => {
              return (
                own === group && !isOver(request) && desk.begun.filter((one) => one.request === request).length < pieces
              )
            })
          const check = () => {
            expect(desk.running.length).toBeLessThanOrEqual(places)
            const someoneWaits = [0, 1, 2, 3].some(waits)
            if (someoneWaits) expect(desk.running).toHaveLength(places)
            for (const { group } of desk.begun.slice(seen)) {
              passed.delete(group)
              for (const others of passed.values()) others.push(group)
            }
            seen = desk.begun.length
            for (const group of [0, 1, 2, 3]) {
              const isIdle = waits(group) && desk.running.every((piece) => piece.group !== group)
              if (!isIdle) passed.delete(group)
              else if (!passed.has(group)) passed.set(group, [])
            }
            for (const others of passed.values()) expect(new Set(others).size).toBe(others.length)
          }
          for (const one of commands) {
            if ('ask' in one) {
              const [group, member, pieces] = one.ask
              const abort = new AbortController()
              asked.push({ group, member, pieces, abort })
              desk.ask(group, member, pieces, abort.signal)
            } else if ('end' in one) {
              const piece = desk.running[one.end % Math.max(1, desk.running.length)]
              piece?.end(one.fails ? new Error('failed') : undefined)
            } else asked[one.abort % Math.max(1, asked.length)]?.abort.abort(new Error('aborted'))
            await settled()
            check()
          }
          await desk.endAll()
          expect(desk.outcomes.size).toBe(asked.length)
          const names = desk.begun.map(({ request, index }) => `${request}.${index}`)
          expect(new Set(names).size).toBe(names.length)
          for (const [request, outcome] of desk.outcomes) {
            const begun = desk.begun.filter((piece) => piece.request === request).map(({ index }) => index)
            expect(begun).toEqual(begun.map((_, index) => index))
            if (!(outcome instanceof Error)) {
              expect(outcome).toEqual(
                Array.from({ length: asked[request]?.pieces ?? 0 }, (_, index) => `${request}.${index}`),
              )
            }
          }
          for (const [at, { group, member, request }] of desk.begun.entries()) {
            const before = desk.begun.slice(0, at).filter((one) => one.group === group && one.member === member)
            expect(Math.max(0, ...before.map((one) => one.request))).toBeLessThanOrEqual(request)
          }
        },
      ),
      { numRuns: sized(50, 150) },
    )
  })

  // A33
  it('removes a piece from the queue at once when it is aborted, and aborts it when it runs', async () => {
    const desk = new Desk(1)
    desk.ask(1, 1, 1)
    const [running, waiting] = [new AbortController(), new AbortController()]
    desk.ask(2, 1, 2, waiting.signal)
    waiting.abort(new Error('gone'))
    await settled()
    expect(desk.outcomes.get(1)).toEqual(new Error('gone'))
    await desk.endAll()
    expect(desk.begun).toHaveLength(1)
    desk.ask(2, 1, 2, running.signal)
    running.abort(new Error('gone too'))
    await settled()
    expect(desk.outcomes.get(2)).toEqual(new Error('gone too'))
    expect(desk.running[0]?.signal.aborted).toBe(true)
    // The piece keeps its place until it has ended.
    desk.ask(3, 1, 1)
    expect(desk.running).toHaveLength(1)
    await desk.endAll()
    expect(desk.outcomes.get(3)).toEqual(['3.0'])
    expect(desk.begun).toHaveLength(3)
  })
})

describe('a set of places', () => {
  it('grants one place of each name or none, and releases it once', () => {
    const places = new Places()
    const first = places.acquire({ company: 2, 'company key': 1 })
    expect(places.acquire({ company: 2, 'company key': 1 })).toBe('company key')
    const second = places.acquire({ company: 2 })
    expect(places.acquire({ company: 2 })).toBe('company')
    if (typeof first === 'string' || typeof second === 'string') throw new Error('no place')
    first()
    first()
    expect(places.acquire({ company: 2 })).toBeTypeOf('function')
    expect(places.acquire({ company: 2 })).toBe('company')
  })
})
