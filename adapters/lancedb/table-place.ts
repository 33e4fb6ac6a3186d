import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProcessLocks } from '../../src/ports/index.js'

/** Where tables are, and who works there. */
export interface TablePlace {
  /** A folder, or the URL of one in an object store. */
  readonly uri: string
  /** For an object store, as LanceDB has them. */
  readonly storageOptions: Readonly<Record<string, string>>
  /** The folder; `undefined` for an object store. */
  readonly folder: string | undefined
  /** Whether other processes work there at the same time. */
  readonly isShared: boolean
  /** Of all processes that work there: where this one is alone, they are free. */
  readonly locks: ProcessLocks
  /** A local folder in which LanceDB keeps what it needs for a while: of no use to anybody once this process has ended. */
  readonly building: string
}

const BUILDING = '.building'
const SIGN_OF_LIFE_MS = 600_000
const DEAD_AFTER_MS = 86_400_000
/** A process whose host was killed may write for a moment yet: 2.75 s of tries in all, each 50 ms later than the one before. */
const REMOVED = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }

/** This process keeps its own calls apart without them. */
const FREE_LOCKS: ProcessLocks = {
  hold: async (_name, work) => await work(),
  tryToHold: async (_name, work) => {
    await work()
    return true
  },
  close: () => Promise.resolve(),
}

export function placeOf(uri: string, given: Partial<Pick<TablePlace, 'locks' | 'storageOptions'>>): TablePlace {
  const { locks = FREE_LOCKS, storageOptions = {} } = given
  const isShared = given.locks !== undefined
  const common = { uri, storageOptions, isShared, locks }
  const own = randomUUID()
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(uri)) {
    return { ...common, folder: undefined, building: join(tmpdir(), `alcove-vectors-${own}`) }
  }
  const building = isShared ? join(uri, BUILDING, own) : join(uri, BUILDING)
  return { ...common, folder: uri, building }
}

/**
 * Makes the folder for a while, and removes what processes have left there that ended.
 * @returns what removes it in the end
 */
export async function makeBuilding({ folder, isShared, building }: TablePlace): Promise<() => Promise<void>> {
  if (folder !== undefined && !isShared) await rm(join(folder, BUILDING), REMOVED)
  if (folder !== undefined && isShared) await removeOld(join(folder, BUILDING))
  await mkdir(building, { recursive: true, mode: 0o700 })
  const sign = isShared ? setInterval(() => void signOfLife(building), SIGN_OF_LIFE_MS).unref() : undefined
  return async () => {
    clearInterval(sign)
    await rm(building, REMOVED)
  }
}

/** Of others nothing is known but when they last gave a sign of life. */
async function removeOld(around: string): Promise<void> {
  for (const name of await readdir(around).catch(() => [])) {
    const path = join(around, name)
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    if (age > DEAD_AFTER_MS) await rm(path, REMOVED).catch(() => undefined)
  }
}

async function signOfLife(building: string): Promise<void> {
  const now = new Date()
  await utimes(building, now, now).catch(() => undefined)
}

/** Names the lock of whoever writes to a table. */
export function writeLock(table: string): string {
  return `vectors.write.${table}`
}

/** Names the lock of whoever waits to drop a table: who builds its index gives that up. */
export function dropLock(table: string): string {
  return `vectors.drop.${table}`
}

/** Names the lock of whoever puts a table in order. */
export function upkeepLock(table: string): string {
  return `vectors.upkeep.${table}`
}
