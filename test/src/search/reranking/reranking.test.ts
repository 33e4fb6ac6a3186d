import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryTelemetry } from '../../../../adapters/memory/index.js'
import { Reranking } from '../../../../src/search/reranking/reranking.js'
import { HeldReranker, type RerankedCall, rightScores } from '../held-reranker.js'

let reranker: HeldReranker
let telemetry: MemoryTelemetry

beforeEach(() => {
  reranker = new HeldReranker(2)
  telemetry = new MemoryTelemetry()
})

const CANDIDATES = [1, 2].map((id) => ({
  chunk: { id, score: 1 - id / 10 },
  hit: { name: '', headings: [], text: `${id}` },
}))

function call(group: number, prompt: string, signal?: AbortSignal) {
  return { prompt, history: undefined, taker: { group, member: 1 }, signal }
}

/** Holds all calls until the test lets them go, one after the other. */
function held(): () => void {
  const waiting: (() => void)[] = []
  reranker.behave = async (rerankedCall: RerankedCall) => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return rightScores(rerankedCall)
  }
  return () => waiting.shift()?.()
}

/** @returns true if the reranker was asked */
async function isAsked(reranking: Reranking): Promise<boolean> {
  const before = reranker.calls.length
  await reranking.order(call(1, 'a'), CANDIDATES)
  return reranker.calls.length > before
}

const prompts = (): string[] => reranker.calls.map(({ prompt }) => prompt)

describe('the calls of a reranker', () => {
  it('leave a place for another company, however many calls one has waiting', async () => {
    const goOn = held()
    const reranking = new Reranking(reranker, telemetry)
    const all = ['a1', 'a2', 'a3'].map(async (prompt) => await reranking.order(call(1, prompt), CANDIDATES))
    const other = reranking.order(call(2, 'b1'), CANDIDATES)
    await expect.poll(prompts).toEqual(['a1', 'b1'])
    goOn()
    goOn()
    expect((await other).chunks.map(({ id }) => id)).toEqual([2, 1])
    await expect.poll(prompts).toEqual(['a1', 'b1', 'a2'])
    goOn()
    await expect.poll(() => reranker.calls.length).toBe(4)
    goOn()
    await Promise.all(all)
    expect(telemetry.events).toEqual([])
  })

  it('end with the wait for a turn, which is no failure of the reranker', async () => {
    const goOn = held()
    const reranking = new Reranking(reranker, telemetry, 300)
    const running = reranking.order(call(1, 'a1'), CANDIDATES)
    await expect.poll(prompts).toEqual(['a1'])
    const waiting = await Promise.all(
      [2, 3, 4, 5].map(async (at) => await reranking.order(call(1, `a${at}`), CANDIDATES)),
    )
    goOn()
    expect(waiting.map(({ chunks }) => chunks.map(({ id }) => id))).toEqual(Array.from({ length: 4 }, () => [1, 2]))
    expect(waiting[3]?.problem).toContain('had no turn for this search in time')
    expect((await running).problem).toContain('did not answer within 300 ms')
    const late = telemetry.events.map(({ fields }) => fields?.['isLate'])
    expect(late).toEqual([false, true, true, true, true])
    reranker.behave = undefined
    expect((await reranking.order(call(1, 'again'), CANDIDATES)).problem).toBeUndefined()
  })

  it('free the place of a call that nobody waits for', async () => {
    held()
    const reranking = new Reranking(reranker, telemetry, 60_000)
    const controller = new AbortController()
    const aborted = reranking.order(call(1, 'a1', controller.signal), CANDIDATES)
    await expect.poll(prompts).toEqual(['a1'])
    controller.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
    reranker.behave = undefined
    expect((await reranking.order(call(1, 'a2'), CANDIDATES)).chunks.map(({ id }) => id)).toEqual([2, 1])
  })
})

describe('the pause after failures', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('ends after 10 s with a trial: a failure begins the next one, a success ends the count', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const reranking = new Reranking(reranker, telemetry)
    const results: boolean[] = []
    const ask = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) results.push(await isAsked(reranking))
    }
    reranker.behave = () => []
    await ask(4)
    vi.advanceTimersByTime(10_001)
    await ask(2)
    expect(results.splice(0)).toEqual([true, true, true, false, true, false])
    vi.advanceTimersByTime(10_001)
    reranker.behave = undefined
    await ask(1)
    reranker.behave = () => []
    await ask(4)
    expect(results).toEqual([true, true, true, true, false])
  })
})
