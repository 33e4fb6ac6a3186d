import { createHash, randomUUID } from 'node:crypto'
import { chmod, lstat, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DataDirUnusableError } from '../../../src/index.js'
import { codeOf, createPrivateFile, makeFolder } from '../../node-kit/index.js'
import { unusable } from './data-dir-lock.js'

/** Characters of the hash that tells the data folders apart that share a folder for temporary files. */
const HASH_CHARACTERS = 12
/** The file in a data folder with its id: data folders of two containers may have the same path. */
const ID_FILE = 'alcove.temp-id'
const FOLDER_MODE = 0o700

/** The folders of an engine. */
export interface Folders {
  readonly dataDir: string
  /** The folder for temporary files, which may be the data folder. */
  readonly tempFolder: string
}

/**
 * Makes the folder for the temporary files of a data folder: the data folder, or one of its own below `tempDir`, so that
 * no other engine takes its files for left ones. Only the user may read it.
 *
 * @throws DataDirUnusableError if that is not possible, or if the folder below `tempDir` belongs to another user
 */
export async function makeTempFolder(dataDir: string, tempDir: string | undefined): Promise<string> {
  if (tempDir === undefined) return dataDir
  const id = await readId(dataDir)
  const hash = createHash('sha256')
    .update(`${resolve(dataDir)} ${id}`)
    .digest('hex')
    .slice(0, HASH_CHARACTERS)
  const folder = join(resolve(tempDir), `alcove-${hash}`)
  try {
    await makeFolder(folder)
    if (await isOfOtherUser(folder, dataDir)) {
      throw new DataDirUnusableError(
        `the folder for temporary files ${folder} belongs to another user: remove it, or name another folder for them`,
      )
    }
    await chmod(folder, FOLDER_MODE)
    return folder
  } catch (error) {
    if (error instanceof DataDirUnusableError) throw error
    throw new DataDirUnusableError(
      `cannot make temporary files in ${tempDir} (${codeOf(error) ?? 'unknown'}): make it writable, or name no folder for them: they are then in the data folder`,
      { cause: error },
    )
  }
}

async function readId(dataDir: string): Promise<string> {
  const path = join(dataDir, ID_FILE)
  try {
    await createPrivateFile(path, randomUUID())
    return await readFile(path, 'utf8')
  } catch (error) {
    throw unusable(dataDir, error)
  }
}

/** The owner of the data folder may read everything: root works for that user. A link is of the user that made it. */
async function isOfOtherUser(folder: string, dataDir: string): Promise<boolean> {
  const { uid } = await lstat(folder)
  // Without such ids, as on Windows, all of them are 0.
  return uid !== (process.getuid?.() ?? 0) && uid !== (await stat(dataDir)).uid
}
