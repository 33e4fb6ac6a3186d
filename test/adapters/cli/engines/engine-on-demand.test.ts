import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { EngineOnDemand } from '../../../../adapters/cli/engines/engine-on-demand.js'
import { DataDirLockedError, type Engine } from '../../../../src/index.js'
import { memoryEngine } from '../../../src/engine/memory-engine.js'

/** Opens engines in memory, and counts the open ones. */
function opener(locked = 0) {
  const counts = { opened: 0, open: 0, most: 0, tries: 0 }
  const open = async (): Promise<Engine> => {
    counts.tries += 1
    if (counts.tries <= locked) throw new DataDirLockedError('the data folder is in use by another process (pid 7)')
    const { engine } = await memoryEngine()
    counts.opened += 1
    counts.open += 1
    counts.most = Math.max(counts.most, counts.open)
    const close = engine.close.bind(engine)
    engine.close = async () => {
      await close()
      counts.open -= 1
    }
    return engine
  }
  return { counts, open }
}

const idOf = async (engine: Engine): Promise<number> => await Promise.resolve(engine.owner.userId)

it('opens one engine for calls at the same time, and closes it after the last one', async () => {
  const { counts, open } = opener()
  const onDemand = new EngineOnDemand({ open, idleMs: 0, waitMs: 0 })
  expect(counts.opened).toBe(0)
  expect(await Promise.all([1, 2, 3].map(async () => await onDemand.use(idOf)))).toEqual([1, 1, 1])
  expect(counts).toMatchObject({ opened: 1, most: 1 })
  await expect.poll(() => counts.open).toBe(0)
  // A call during the closing waits for it: the folder has one engine at a time.
  for (let round = 0; round < 5; round += 1) {
    await onDemand.use(idOf)
    await setTimeout(0)
  }
  expect(counts.most).toBe(1)
  await onDemand.close()
  expect(counts.open).toBe(0)
})

it('keeps the engine open without an idle time, until it is closed itself', async () => {
  const { counts, open } = opener()
  const onDemand = new EngineOnDemand({ open, idleMs: Infinity, waitMs: 0 })
  await onDemand.use(idOf)
  await setTimeout(5)
  await onDemand.use(idOf)
  expect(counts).toMatchObject({ opened: 1, open: 1 })
  await onDemand.close()
  expect(counts.open).toBe(0)
})

it('waits for another process that works on the folder, but not for ever', async () => {
  const patient = opener(2)
  const onDemand = new EngineOnDemand({ open: patient.open, idleMs: 0, waitMs: 10_000 })
  expect(await onDemand.use(idOf)).toBe(1)
  expect(patient.counts.tries).toBe(3)
  await onDemand.close()

  const locked = opener(1)
  const hasty = new EngineOnDemand({ open: locked.open, idleMs: 0, waitMs: 0 })
  await expect(hasty.use(idOf)).rejects.toMatchObject({ code: 'ERR_DATA_DIR_LOCKED' })
  // The next call tries again.
  expect(await hasty.use(idOf)).toBe(1)
  await hasty.close()
})
