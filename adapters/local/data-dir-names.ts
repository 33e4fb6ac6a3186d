import { stat } from 'node:fs/promises'

/** Names in a data folder, which are those in a backup. */
export const DATABASE = 'alcove.sqlite'
export const VECTORS = 'vectors'
export const WORDS = 'words'
/** Says which database the folder belongs to, by the id that both have. */
export const DATABASE_ID = 'database-id'

/** Of a folder that has been one of an engine's, whatever else is in it. */
export const MARKS: readonly string[] = [DATABASE, DATABASE_ID, 'alcove.lock']

const OWN_NAME = /^(alcove\..+|database-id|vectors|words|files|mail|keys|unfinished-backup-.+|\.unfinished-restore-.+)$/

/** Whether an engine keeps something of that name directly in its data folder. */
export function isOwnName(name: string): boolean {
  return OWN_NAME.test(name.replace(/\.migrated$/, ''))
}

/** The name of what a migration has copied elsewhere, and nobody uses any more. */
export function formerName(path: string): string {
  return `${path}.migrated`
}

export async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  )
}
