import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { DataDirUnusableError } from '../../src/index.js'
import { codeOf, makeFolder } from '../node-kit/index.js'

/** Characters of the hash that tells the data folders apart that share a folder for temporary files. */
const HASH_CHARACTERS = 12

/**
 * The folder for the temporary files of a data folder: the data folder, or one of its own below `tempDir`, so that no
 * other engine takes its files for left ones.
 */
export function tempFolderOf(dataDir: string, tempDir: string | undefined): string {
  if (tempDir === undefined) return dataDir
  const hash = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, HASH_CHARACTERS)
  return join(resolve(tempDir), `alcove-${hash}`)
}

/**
 * Creates {@link tempFolderOf}, if it is missing.
 * @throws DataDirUnusableError if that is not possible
 */
export async function makeTempFolder(dataDir: string, tempDir: string | undefined): Promise<string> {
  const folder = tempFolderOf(dataDir, tempDir)
  if (tempDir !== undefined) await makeFolder(folder).catch((error: unknown) => refuse(tempDir, error))
  return folder
}

function refuse(tempDir: string, cause: unknown): never {
  throw new DataDirUnusableError(
    `cannot make temporary files in ${tempDir} (${codeOf(cause) ?? 'unknown'}): make it writable, or name no folder for them: they are then in the data folder`,
    { cause },
  )
}
