import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
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

export function placeOf(
  uri: string,
  { locks, storageOptions = {} }: Partial<Pick<TablePlace, 'locks' | 'storageOptions'>>,
): TablePlace {
  const own = `${encodeURIComponent(hostname())}-${process.pid}-${randomUUID().slice(0, 8)}`
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(uri)) {
    return { uri, storageOptions, locks, folder: undefined, building: join(tmpdir(), `alcove-vectors-${own}`) }
  }
  const building = locks === undefined ? join(uri, BUILDING) : join(uri, BUILDING, own)
  return { uri, storageOptions, locks, folder: uri, building }
}

/** Makes the folder for a while, and removes what processes have left there that ended. */
export async function makeBuilding({ folder, locks, building }: TablePlace): Promise<void> {
  if (folder !== undefined) await removeLeft(folder, locks !== undefined)
  await mkdir(building, { recursive: true })
}

export async function removeBuilding({ building }: TablePlace): Promise<void> {
  await rm(building, { recursive: true, force: true })
}

/** Of others only what those of this machine have left: of processes elsewhere nothing is known. */
async function removeLeft(folder: string, isShared: boolean): Promise<void> {
  const around = join(folder, BUILDING)
  if (!isShared) {
    await rm(around, { recursive: true, force: true })
    return
  }
  const here = `${encodeURIComponent(hostname())}-`
  for (const name of await readdir(around).catch(() => [])) {
    const pid = name.startsWith(here) ? /^(\d+)-/.exec(name.slice(here.length))?.[1] : undefined
    if (pid === undefined || isAlive(Number(pid))) continue
    await rm(join(around, name), { recursive: true, force: true }).catch(() => undefined)
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It lives, and is somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
