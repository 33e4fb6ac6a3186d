import { createRequire } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import type { Connection } from '@lancedb/lancedb'
import type { TablePlace } from './table-place.js'

/** Parts of indexes, and of what is known of files, that are kept in memory for all tables together. */
const INDEX_CACHE_BYTES = 1n << 30n
const METADATA_CACHE_BYTES = 1n << 28n

/**
 * The library takes a tenth of a second to load: not before it is needed, and not
 * at one go. It brings Arrow in as CommonJS: whoever loads that first halves the block.
 * Where other processes write too, each call looks for the newest version of its table.
 */
export async function connectTo({ uri, storageOptions, isShared, building }: TablePlace): Promise<Connection> {
  createRequire(import.meta.url)('apache-arrow')
  await setImmediate()
  // Otherwise it tells the host's terminal of every partition that happens to be empty.
  process.env['LANCEDB_LOG'] ??= 'error'
  const { connect, Session } = await import('@lancedb/lancedb')
  const session = withTemporaryFolder(building, () => new Session(INDEX_CACHE_BYTES, METADATA_CACHE_BYTES))
  return await connect(uri, { storageOptions, ...(isShared && { readConsistencyInterval: 0 }) }, session)
}

const TEMPORARY_VARIABLES = ['TMPDIR', 'TEMP', 'TMP']

/**
 * A session makes a temporary folder of its own at once, and a process that is ended leaves it behind: it goes where
 * the next one clears away. It has no other way of being told.
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
