import { afterEach, expect, it, vi } from 'vitest'
import { waitTeller } from '../../../adapters/cli/wait-teller.js'
import { StorageFullError, StorageReadOnlyError } from '../../../src/index.js'

afterEach(() => {
  vi.restoreAllMocks()
})

it('a teller tells each reason once, also where two reasons alternate', () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const tellWaiting = waitTeller()
  for (const message of ['the disk is full', 'the disk is read-only', 'the disk is full', 'the disk is read-only']) {
    tellWaiting(message.endsWith('full') ? new StorageFullError(message) : new StorageReadOnlyError(message))
  }
  expect(write.mock.calls.map(([line]) => line)).toEqual([
    'waiting: the disk is full (ERR_STORAGE_FULL)\n',
    'waiting: the disk is read-only (ERR_STORAGE_READ_ONLY)\n',
  ])
})
