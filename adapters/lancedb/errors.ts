import { StorageError, StorageFullError } from '../../src/ports/index.js'

/** Lance tells what the system says in words, and in the number of its error. */
const FULL = /no space left on device|disk quota exceeded|\(os error (28|122)\)/i
const FAILED = /input\/output error|\(os error 5\)/i

/** What a write does, a disk that is full or fails told as the core's errors; everything else passes. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translateError(error)
  }
}

function translateError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (FULL.test(error.message)) {
    return new StorageFullError('the disk with the vectors is full: make room, and it goes on', { cause: error })
  }
  if (!FAILED.test(error.message)) return error
  return new StorageError('the disk cannot read or write the vectors', { cause: error, isTransient: true })
}
