import { stat } from 'node:fs/promises'

/** Names in a data folder, which are those in a backup. */
export const DATABASE = 'alcove.sqlite'
export const VECTORS = 'vectors'
/** Says which database the folder belongs to, by the id that both have. */
export const DATABASE_ID = 'database-id'

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
