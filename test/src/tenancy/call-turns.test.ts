import { expect, it } from 'vitest'
import { CallTurns } from '../../../src/tenancy/call-turns.js'

it('turns whose work never waits let the event loop run between them', async () => {
  const turns = new CallTurns({ callsPerKey: 100, callsPerCompany: 100 })
  let [ticks, isOver] = [0, false]
  const tick = (): void => {
    ticks += 1
    if (!isOver) setTimeout(tick)
  }
  setTimeout(tick)
  const work = (): Promise<void> => {
    const until = performance.now() + 3
    while (performance.now() < until);
    return Promise.resolve()
  }
  await Promise.all(Array.from({ length: 40 }, async () => await turns.run({ companyId: 1, userId: 1 }, work)))
  isOver = true
  expect(ticks).toBeGreaterThan(5)
})
