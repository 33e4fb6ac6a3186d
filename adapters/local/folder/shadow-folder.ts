import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { LockedFolder } from './locked-folder.js'

/** A name that the data folder counts among the engine's own. */
const PREFIX = 'alcove.evaluation-'
const NAME = /^alcove\.evaluation-\w{6}$/

/** Creates a folder for the copies of an evaluation, also where processes share a data folder. */
export async function createShadowFolder(tempFolder: string): Promise<LockedFolder> {
  return await LockedFolder.create(tempFolder, PREFIX)
}

/**
 * Removes the folders of killed evaluations. Ignores errors: the next start tries again.
 * @param parents the data folder and that of temporary files: an earlier process may have had no other than the first
 */
export async function removeLeftShadows(parents: readonly string[]): Promise<void> {
  for (const parent of new Set(parents)) {
    const names = await readdir(parent).catch(() => [])
    for (const name of names.filter((each) => NAME.test(each))) {
      const path = join(parent, name)
      // Not a link: it could lead to any folder.
      const isFolder = (await lstat(path).catch(() => undefined))?.isDirectory() === true
      if (isFolder) await (await LockedFolder.take(path))?.remove().catch(() => undefined)
    }
  }
}
