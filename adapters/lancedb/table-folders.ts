import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ifPresent } from '../node-kit/index.js'

/** LanceDB has each table in a folder with this ending. */
const TABLE_SUFFIX = '.lance'
/** A backup copies no folder whose name begins with a dot. */
const [DROPPED_PREFIX, DROPPED_SUFFIX] = ['.', '.dropped']
/**
 * A process whose host was killed may still write for a moment. The retries take 2.75 s in all; each waits 50 ms longer
 * than the one before.
 */
export const REMOVE_OPTIONS = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }

/** @returns the path of a table's folder */
export function tableFolder(folder: string, name: string): string {
  return join(folder, `${name}${TABLE_SUFFIX}`)
}

/**
 * Lists the names of the tables in a folder, in about an eighth of the time that LanceDB takes. A dropped table whose
 * removal has failed is listed too, so that another drop removes the rest.
 */
export async function listTables(folder: string): Promise<readonly string[]> {
  // The first write creates the folder.
  const names = (await ifPresent(readdir(folder), [])).flatMap((entry) => {
    if (entry.endsWith(TABLE_SUFFIX)) return [entry.slice(0, -TABLE_SUFFIX.length)]
    return isDropped(entry) ? [entry.slice(DROPPED_PREFIX.length, -DROPPED_SUFFIX.length)] : []
  })
  return [...new Set(names)].sort()
}

/**
 * Removes the folder of a table. The folder gets another name first: if the process is killed, or a file cannot be
 * removed, nobody opens the rest of the table.
 *
 * @returns false if there was no table
 */
export async function removeTable(folder: string, name: string): Promise<boolean> {
  const dropped = join(folder, `${DROPPED_PREFIX}${name}${DROPPED_SUFFIX}`)
  // A name is taken by the rest of a former table until that is gone.
  await rm(dropped, REMOVE_OPTIONS)
  const hasTable = await ifPresent(
    rename(tableFolder(folder, name), dropped).then(() => true),
    false,
  )
  if (hasTable) await rm(dropped, REMOVE_OPTIONS)
  return hasTable
}

/** Removes what is left of dropped tables. The next start tries again to remove a folder that cannot be removed now. */
export async function removeDroppedTables(folder: string): Promise<void> {
  for (const entry of (await readdir(folder).catch(() => [])).filter(isDropped))
    await rm(join(folder, entry), REMOVE_OPTIONS).catch(() => undefined)
}

function isDropped(entry: string): boolean {
  return entry.startsWith(DROPPED_PREFIX) && entry.endsWith(DROPPED_SUFFIX)
}
