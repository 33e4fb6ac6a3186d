import { afterEach, beforeEach, expect, it } from 'vitest'
import { TokenizerThread } from '../../../adapters/device/library/tokenizer-thread.js'
import { writeTinyModel } from '../../fixtures/tiny-models.js'
import { temporaryFolder } from '../../temporary-folder.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
  await writeTinyModel(folder.path, 'unigram')
})
afterEach(async () => {
  await folder.remove()
})

it('a thread that dies during a call blocks the host for ten seconds at most', async () => {
  const thread = await TokenizerThread.start(folder.path)
  expect(thread.hasEnded).toBe(false)
  expect(thread.count(['harbour'])[0]).toBeGreaterThan(0)
  const startedAt = performance.now()
  // The thread throws where nobody catches, and ends without an answer.
  expect(() => thread.count(null as never)).toThrow('the thread of a tokenizer did not answer for 10000 ms')
  expect(performance.now() - startedAt).toBeLessThan(15_000)
  expect(thread.hasEnded).toBe(true)
  await thread.close()
  expect(() => thread.count(['harbour'])).toThrow('did not answer')
})
