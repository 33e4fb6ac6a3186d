import { afterEach, expect, it, vi } from 'vitest'
import { clearAway } from '../../../adapters/cli/engines/engines.js'
import type { Engine } from '../../../src/index.js'

afterEach(() => {
  vi.restoreAllMocks()
})

function engineThat(progress: Awaited<ReturnType<Engine['whenCleared']>>): Engine {
  return { whenCleared: async () => Promise.resolve(progress) } as Partial<Engine> as Engine
}

it('a deletion prints one line while it waits for disk space, and prints nothing when it is done', async () => {
  const lines: unknown[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(line) > 0)
  await clearAway(engineThat('done'))
  expect(lines).toEqual([])
  await clearAway(engineThat('full'))
  expect(lines).toEqual([expect.stringMatching(/^a disk is full: free some space; .* removes the deleted data\n$/)])
})
