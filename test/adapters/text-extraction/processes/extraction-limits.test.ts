import { describe, expect, it } from 'vitest'
import {
  fileTimeoutOf,
  limitsOf,
  recognitionTimeoutOf,
} from '../../../../adapters/text-extraction/extraction-limits.js'

const GB = 1_073_741_824

describe('the memory limit of an extraction process', () => {
  it.each([
    [24, undefined, 1_024, 512],
    [8, undefined, 1_024, 512],
    [4, undefined, 512, 256],
    [2, undefined, 256, 128],
    [1, undefined, 256, 128],
    [2, 1, 1_024, 512],
    [24, 16, 768, 384],
  ])(
    'follows the memory of the machine: %i GB for %s readers give %i MB',
    (gigabytes, readers, maxMemoryMb, maxHeapMb) => {
      expect(limitsOf({}, readers, gigabytes * GB)).toMatchObject({ maxMemoryMb, maxHeapMb })
    },
  )

  it('is the value that the host sets', () => {
    expect(limitsOf({ maxMemoryMb: 700 }, 4, GB)).toMatchObject({ maxMemoryMb: 700, maxHeapMb: 350 })
    expect(limitsOf({ maxHeapMb: 600 }, 4, GB)).toMatchObject({ maxMemoryMb: 256, maxHeapMb: 600 })
  })

  it('is at most the memory of this machine', () => {
    expect(limitsOf().maxMemoryMb).toBeLessThanOrEqual(1_024)
    expect(limitsOf().maxMemoryMb).toBeGreaterThanOrEqual(256)
  })
})

describe('the time to read a file', () => {
  const seconds = (megabytes: number, fileTimeoutMs = 900_000): number =>
    fileTimeoutOf({ fileTimeoutMs }, megabytes * 1_048_576) / 1_000

  it('is a minute for a small file, and grows with its size up to the limit of all files', () => {
    expect([0, 0.5, 1, 3, 29, 256].map((megabytes) => seconds(megabytes))).toEqual([60, 60, 60, 120, 900, 900])
    expect([0.5, 3].map((megabytes) => seconds(megabytes, 10_000))).toEqual([10, 10])
  })
})

describe('the time for the text in the pictures of a file', () => {
  it('grows with the number of its pictures up to the limit of all files', () => {
    const minutes = [0, 10, 470, 5_000].map((count) => recognitionTimeoutOf(limitsOf(), count) / 60_000)
    expect(minutes).toEqual([5, 10, 240, 240])
  })
})
