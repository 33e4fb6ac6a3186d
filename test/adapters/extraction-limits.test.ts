import { describe, expect, it } from 'vitest'
import { limitsOf } from '../../adapters/text-extraction/extraction-limits.js'

const GB = 1_073_741_824

describe('the memory of a process that reads', () => {
  it.each([
    [24, undefined, 1_024, 512],
    [8, undefined, 1_024, 512],
    [4, undefined, 512, 256],
    [2, undefined, 256, 128],
    [1, undefined, 256, 128],
    [2, 1, 1_024, 512],
    [24, 16, 768, 384],
  ])('follows that of the machine: of %i GB for %s readers, %i MB', (gigabytes, readers, maxMemoryMb, maxHeapMb) => {
    expect(limitsOf({}, readers, gigabytes * GB)).toMatchObject({ maxMemoryMb, maxHeapMb })
  })

  it('is what the host says, where it says it', () => {
    expect(limitsOf({ maxMemoryMb: 700 }, 4, GB)).toMatchObject({ maxMemoryMb: 700, maxHeapMb: 350 })
    expect(limitsOf({ maxHeapMb: 600 }, 4, GB)).toMatchObject({ maxMemoryMb: 256, maxHeapMb: 600 })
  })

  it('is no more than this machine has', () => {
    expect(limitsOf().maxMemoryMb).toBeLessThanOrEqual(1_024)
    expect(limitsOf().maxMemoryMb).toBeGreaterThanOrEqual(256)
  })
})
