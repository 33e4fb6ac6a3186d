import { stat } from 'node:fs/promises'

/** Names in a data folder. A backup has the same names. */
export const DATABASE = 'alcove.sqlite'
export const VECTORS = 'vectors'
export const WORDS = 'words'
/** The file with the id of the folder's database. The database has the same id. */
export const DATABASE_ID = 'database-id'

/** A folder with one of these is a data folder, whatever else is in it. */
export const MARKS: readonly string[] = [DATABASE, DATABASE_ID, 'alcove.lock']

const OWN_NAME = /^(alcove\..+|database-id|vectors|words|files|mail|keys|unfinished-backup-.+|\.unfinished-restore-.+)$/

/** True if an engine keeps a file or folder of this name directly in its data folder. */
export function isOwnName(name: string): boolean {
  return OWN_NAME.test(name.replace(/\.migrated$/, ''))
}

/** The new name of a file or folder that a migration has copied. No engine uses it any more. */
export function formerName(path: string): string {
  return `${path}.migrated`
}

export async function pathExists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  )
}
