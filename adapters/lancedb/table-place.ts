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
  /** Of all processes that work there; `undefined` where this one is alone. */
  readonly locks: ProcessLocks | undefined
  /** A local folder in which LanceDB keeps what it needs for a while: of no use to anybody once this process has ended. */
  readonly building: string
}

const BUILDING = '.building'
const SIGN_OF_LIFE_MS = 600_000
const DEAD_AFTER_MS = 86_400_000

export function placeOf(
  uri: string,
  { locks, storageOptions = {} }: Partial<Pick<TablePlace, 'locks' | 'storageOptions'>>,
): TablePlace {
  const own = randomUUID()
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(uri)) {
    return { uri, storageOptions, locks, folder: undefined, building: join(tmpdir(), `alcove-vectors-${own}`) }
  }
  const building = locks === undefined ? join(uri, BUILDING) : join(uri, BUILDING, own)
  return { uri, storageOptions, locks, folder: uri, building }
}

/**
 * Makes the folder for a while, and removes what processes have left there that ended.
 * @returns what removes it in the end
 */
export async function makeBuilding({ folder, locks, building }: TablePlace): Promise<() => Promise<void>> {
  const isShared = locks !== undefined
  if (folder !== undefined && !isShared) await rm(join(folder, BUILDING), { recursive: true, force: true })
  if (folder !== undefined && isShared) await removeOld(join(folder, BUILDING))
  await mkdir(building, { recursive: true })
  const sign = isShared ? setInterval(() => void signOfLife(building), SIGN_OF_LIFE_MS).unref() : undefined
  return async () => {
    clearInterval(sign)
    await rm(building, { recursive: true, force: true })
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
    if (age > DEAD_AFTER_MS) await rm(path, { recursive: true, force: true }).catch(() => undefined)
  }
}

async function signOfLife(building: string): Promise<void> {
  const now = new Date()
  await utimes(building, now, now).catch(() => undefined)
}
