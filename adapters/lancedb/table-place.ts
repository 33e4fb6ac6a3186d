import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ProcessLocks } from '../../src/ports/index.js'
import { REMOVE_OPTIONS, removeDroppedTables } from './table-folders.js'

/** The location of tables, and how processes share it. */
export interface TablePlace {
  /** A folder, or the URL of a folder in an object store. */
  readonly uri: string
  /** Options for an object store, as LanceDB defines them. */
  readonly storageOptions: Readonly<Record<string, string>>
  /** The folder; `undefined` for an object store. */
  readonly folder: string | undefined
  /** True if other processes work there at the same time. */
  readonly isShared: boolean
  /** The locks of all processes that work there. If this process is alone, they are always free. */
  readonly locks: ProcessLocks
  /** A local folder for temporary files of LanceDB. Nobody needs it after this process has exited. */
  readonly temporaryFolder: string
  /** A local folder for the temporary files of connections. Nobody needs it after this process has exited. */
  readonly sessionFolder: string
  /** True if the folder above it has the temporary files of other processes too. */
  readonly isTemporaryShared: boolean
}

const TEMPORARY_NAME = '.building'
const TOUCH_INTERVAL_MS = 600_000
const DEAD_AFTER_MS = 86_400_000
/** A process that is alone keeps its own calls apart without locks. */
const FREE_LOCKS: ProcessLocks = {
  hold: async (_name, work) => await work(),
  tryToHold: async (_name, work) => {
    await work()
    return true
  },
  close: () => Promise.resolve(),
}

/** @param options.temporaryFolder default: in the folder of the tables, or that of the system */
export function describePlace(
  uri: string,
  options: Partial<Pick<TablePlace, 'locks' | 'storageOptions' | 'temporaryFolder'>>,
): TablePlace {
  const { locks = FREE_LOCKS, storageOptions = {} } = options
  const isShared = options.locks !== undefined
  const common = { uri, storageOptions, isShared, locks }
  const folder = /^[a-z][a-z0-9+.-]+:\/\//i.test(uri) ? undefined : uri
  const isTemporaryShared = isShared || folder === undefined
  const own = folder === undefined ? join(tmpdir(), 'alcove-vectors') : join(folder, TEMPORARY_NAME)
  const parent = options.temporaryFolder ?? own
  const temporaryFolder = isTemporaryShared ? join(parent, randomUUID()) : parent
  return { ...common, folder, ...foldersIn(temporaryFolder), isTemporaryShared }
}

function foldersIn(temporaryFolder: string): Pick<TablePlace, 'temporaryFolder' | 'sessionFolder'> {
  return { temporaryFolder, sessionFolder: `${temporaryFolder}-sessions` }
}

/**
 * Creates the temporary folder. Removes temporary folders of processes that have exited, and what is left of dropped
 * tables. A folder that cannot be changed is no error here: each connection looks for a folder that takes files.
 *
 * @returns a function that removes the folder at the end
 */
export async function makeTemporaryFolder(place: TablePlace): Promise<() => Promise<void>> {
  const { isTemporaryShared, temporaryFolder, sessionFolder } = place
  const folders = [temporaryFolder, sessionFolder]
  // A folder that stays is removed at the next start.
  const removeAll = async (): Promise<void> => {
    for (const folder of folders) await rm(folder, REMOVE_OPTIONS).catch(() => undefined)
  }
  if (isTemporaryShared) await removeAbandoned(dirname(temporaryFolder))
  else await removeAll()
  if (place.folder !== undefined) await removeDroppedTables(place.folder)
  await mkdir(temporaryFolder, { recursive: true, mode: 0o700 }).catch(() => undefined)
  const touchAll = (): void => {
    for (const folder of folders) void touch(folder)
  }
  const touchTimer = isTemporaryShared ? setInterval(touchAll, TOUCH_INTERVAL_MS).unref() : undefined
  return async () => {
    clearInterval(touchTimer)
    await removeAll()
  }
}

/** Removes the folders of processes that have shown no sign of life for a day. Nothing else is known about them. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const path = join(parent, name)
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    if (age > DEAD_AFTER_MS) await rm(path, REMOVE_OPTIONS).catch(() => undefined)
  }
}

async function touch(temporaryFolder: string): Promise<void> {
  const now = new Date()
  await utimes(temporaryFolder, now, now).catch(() => undefined)
}

/** The name of the lock that a writer of the table holds. */
export function writeLock(table: string): string {
  return `vectors.write.${table}`
}

/**
 * The name of the lock that a process holds while it waits to drop the table. A process that builds the table's index
 * then aborts the build.
 */
export function dropLock(table: string): string {
  return `vectors.drop.${table}`
}

/** The name of the lock that a process holds while it maintains the table. */
export function maintenanceLock(table: string): string {
  return `vectors.maintenance.${table}`
}
