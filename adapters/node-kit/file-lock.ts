import { promisify } from 'node:util'
import type { Database } from 'sqlite3'
import { retry } from '../../src/ports/index.js'
import { loadNative } from './load-native.js'
import { isCode, makeDatabaseFilePrivate } from './system.js'

/** The error code of a lock that another process still holds after the wait. */
export const FILE_LOCK_HELD = 'SQLITE_BUSY'

const FIRST_RETRY_MS = 10
const LONGEST_RETRY_MS = 100

/**
 * Runs work while no other call, in this process or in another, holds the lock of that file. The lock is an exclusive
 * transaction on an empty SQLite file. The operating system holds it, so it never outlives its process, and no process
 * must judge by age that a lock is abandoned. The file stays: whoever removed it would let two processes lock two files.
 *
 * @param path the file of the lock, which only this function may open; created with mode 0600
 * @param waitMs the longest wait for the lock
 * @returns the result of the work
 * @throws Error with the code {@link FILE_LOCK_HELD} if the lock is still held after the wait; another code if the file
 * cannot be used
 */
export async function withFileLock<T>(path: string, waitMs: number, work: () => Promise<T>): Promise<T> {
  makeDatabaseFilePrivate(path)
  const database = await openDatabase(path)
  try {
    const execute = promisify(database.exec.bind(database))
    // The journal is in memory, because a killed process would leave a journal on disk.
    await retry(() => execute('pragma journal_mode = memory; begin exclusive'), {
      backoff: { firstMs: FIRST_RETRY_MS, longestMs: LONGEST_RETRY_MS, patienceMs: waitMs, isRandom: true },
      isTransient: (error) => isCode(error, FILE_LOCK_HELD),
    })
    return await work()
  } finally {
    await promisify(database.close.bind(database))()
  }
}

async function openDatabase(path: string): Promise<Database> {
  // Loading it takes some milliseconds, which only those who take a lock need.
  const { default: sqlite3 } = await loadNative('sqlite3', async () => await import('sqlite3'))
  return await new Promise((resolve, reject) => {
    const database = new sqlite3.Database(path, (error) => {
      if (error === null) resolve(database)
      else reject(error)
    })
    // SQLite's own wait would block a thread that the holder of the lock may need.
    database.configure('busyTimeout', 0)
  })
}
