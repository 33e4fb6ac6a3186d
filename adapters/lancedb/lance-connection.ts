import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Connection } from '@lancedb/lancedb'
import pLimit from 'p-limit'
import { loadNative } from '../node-kit/index.js'
import type { TablePlace } from './table-place.js'

/** The memory for parts of indexes and for metadata of files, for all tables together. */
const INDEX_CACHE_BYTES = 1n << 30n
const METADATA_CACHE_BYTES = 1n << 28n

/** One connection at a time is made, because each sets variables of the process. */
const turn = pLimit(1)

/**
 * Connects to the location of the tables. The library takes a tenth of a second to load, so it is loaded at the first
 * connection. Arrow is loaded before it, which halves the time for which the event loop is blocked. If other processes
 * write too, each call reads the newest version of its table.
 *
 * @throws the error of the system if no folder takes temporary files
 */
export async function connectTo(place: TablePlace): Promise<Connection> {
  await import('apache-arrow')
  await setImmediate()
  // Otherwise Lance writes a line to the host's terminal for each empty partition.
  process.env['LANCEDB_LOG'] ??= 'error'
  const { connect, Session } = await loadNative('@lancedb/lancedb', async () => await import('@lancedb/lancedb'))
  const { uri, storageOptions, isShared } = place
  return await turn(
    async () =>
      await withTemporaryFolder(takeTemporaryFolder(place.sessionFolder), async () => {
        const session = new Session(INDEX_CACHE_BYTES, METADATA_CACHE_BYTES)
        return await connect(uri, { storageOptions, ...(isShared && { readConsistencyInterval: 0 }) }, session)
      }),
  )
}

/**
 * True if a table in an object store has files of data. LanceDB lists entries that end with `.lance`: these are the
 * tables of a location, and the files of data in the folder `data` of a table.
 */
export async function hasDataFiles(place: TablePlace, table: string): Promise<boolean> {
  const uri = new URL(place.uri)
  uri.pathname = `${uri.pathname.replace(/\/+$/, '')}/${table}.lance/data`
  const connection = await connectTo({ ...place, uri: uri.href })
  try {
    return (await connection.tableNames({ limit: 1 })).length > 0
  } finally {
    connection.close()
  }
}

const TEMPORARY_VARIABLES = ['TMPDIR', 'TEMP', 'TMP']

/** More than the folder of a session takes, on every file system. */
const PROBE_BYTES = 65_536

/**
 * A folder that takes temporary files: the one of the tables, or that of the system if the disk of the tables is full
 * or read-only, so that reads go on. The library ends the process if a session cannot create its folder. So this
 * function first creates a folder with a file, and removes both: their room is then free for the session.
 */
function takeTemporaryFolder(folder: string): string {
  try {
    tryFolder(folder)
    return folder
  } catch (error) {
    try {
      tryFolder(tmpdir())
      return tmpdir()
    } catch {
      throw error
    }
  }
}

function tryFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const probe = mkdtempSync(join(folder, '.probe-'))
  try {
    writeFileSync(join(probe, 'probe'), new Uint8Array(PROBE_BYTES))
  } finally {
    rmSync(probe, { recursive: true, force: true })
  }
}

/**
 * A session creates a temporary folder at once, and so does each connection. A killed process leaves it behind. With
 * these variables the folder is in a place that the next process cleans up. The library has no option for it, and reads
 * the variables before the connection is made.
 */
async function withTemporaryFolder<T>(folder: string, make: () => Promise<T>): Promise<T> {
  const before = TEMPORARY_VARIABLES.map((name) => [name, process.env[name]] as const)
  for (const name of TEMPORARY_VARIABLES) process.env[name] = folder
  try {
    return await make()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name)
      else process.env[name] = value
    }
  }
}
