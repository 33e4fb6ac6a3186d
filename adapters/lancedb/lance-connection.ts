import { createRequire } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import type { Connection } from '@lancedb/lancedb'
import { loadNative } from '../node-kit/index.js'
import type { TablePlace } from './table-place.js'

/** The memory for parts of indexes and for metadata of files, for all tables together. */
const INDEX_CACHE_BYTES = 1n << 30n
const METADATA_CACHE_BYTES = 1n << 28n

/**
 * Connects to the location of the tables. The library takes a tenth of a second to load, so it is loaded at the first
 * connection and in two steps. It loads Arrow as CommonJS: loading Arrow before it halves the time for which the event
 * loop is blocked. If other processes write too, each call reads the newest version of its table.
 */
export async function connectTo({ uri, storageOptions, isShared, temporaryFolder }: TablePlace): Promise<Connection> {
  createRequire(import.meta.url)('apache-arrow')
  await setImmediate()
  // Otherwise Lance writes a line to the host's terminal for each empty partition.
  process.env['LANCEDB_LOG'] ??= 'error'
  const { connect, Session } = await loadNative('@lancedb/lancedb', async () => await import('@lancedb/lancedb'))
  const session = withTemporaryFolder(temporaryFolder, () => new Session(INDEX_CACHE_BYTES, METADATA_CACHE_BYTES))
  return await connect(uri, { storageOptions, ...(isShared && { readConsistencyInterval: 0 }) }, session)
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

/**
 * A session creates a temporary folder at once, and a killed process leaves it behind. With these variables the folder
 * is in a place that the next process cleans up. The session has no option for it.
 */
function withTemporaryFolder<T>(folder: string, make: () => T): T {
  const before = TEMPORARY_VARIABLES.map((name) => [name, process.env[name]] as const)
  for (const name of TEMPORARY_VARIABLES) process.env[name] = folder
  try {
    return make()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name)
      else process.env[name] = value
    }
  }
}
