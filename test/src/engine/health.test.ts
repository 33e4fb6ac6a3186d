import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { MemoryVectorIndex } from '../../../adapters/memory/index.js'
import { memoryEngine } from './memory-engine.js'

/** Lists its collections after a time. */
class SlowVectorIndex extends MemoryVectorIndex {
  readonly #delayMs: number

  constructor(delayMs: number) {
    super()
    this.#delayMs = delayMs
  }

  override async listCollections(): Promise<readonly string[]> {
    await setTimeout(this.#delayMs)
    return await super.listCollections()
  }
}

function blockEventLoop(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

describe('the state of the ports', () => {
  it('counts no time in which the host blocks the event loop', async () => {
    const { engine } = await memoryEngine({ vectorIndex: new SlowVectorIndex(2_300) })
    const answer = engine.health()
    blockEventLoop(2_400)
    expect((await answer).ports).toMatchObject({ storage: 'ok', vectorIndex: 'ok' })
    await engine.close()
  })

  it('names a port that does not answer within two seconds', async () => {
    const { engine } = await memoryEngine({ vectorIndex: new SlowVectorIndex(4_000) })
    const { status, ports } = await engine.health()
    expect([status, ports.storage, ports.vectorIndex]).toEqual(['unavailable', 'ok', 'ERR_TIMEOUT'])
    await engine.close()
  })
})
