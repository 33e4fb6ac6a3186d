import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DataDirLock } from './data-dir-lock.js'
import { CONTENT, createLockedFolder, lockLeftFolder } from './locked-folder.js'

/** A name that the data folder counts among the engine's own. */
const PREFIX = 'alcove.evaluation-'
const NAME = /^alcove\.evaluation-\w{6}$/
const FORCED = { recursive: true, force: true } as const

/**
 * A folder for the copies of an evaluation. It contains a lock that ends with its process, so that a later start
 * recognises the folder of a killed evaluation, also where processes share a data folder.
 */
export class ShadowFolder {
  private constructor(
    private readonly folder: string,
    private readonly lock: DataDirLock,
  ) {}

  static async create(tempFolder: string): Promise<ShadowFolder> {
    const { folder, lock } = await createLockedFolder(tempFolder, PREFIX)
    return new ShadowFolder(folder, lock)
  }

  /** The subfolder for the copies, which exists. */
  get content(): string {
    return join(this.folder, CONTENT)
  }

  async remove(): Promise<void> {
    await remove(this.folder, this.lock)
  }
}

/**
 * Removes the folders of killed evaluations. Ignores errors: the next start tries again.
 * @param parents the data folder and that of temporary files: an earlier process may have had no other than the first
 */
export async function removeLeftShadows(parents: readonly string[]): Promise<void> {
  for (const parent of new Set(parents)) await removeLeftIn(parent)
}

async function removeLeftIn(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => [])
  for (const name of names) {
    const folder = join(parent, name)
    // Not a link: it could lead to any folder.
    const isFolder = NAME.test(name) && (await lstat(folder).catch(() => undefined))?.isDirectory() === true
    const lock = isFolder ? await lockLeftFolder(folder) : undefined
    if (lock !== undefined) await remove(folder, lock).catch(() => undefined)
  }
}

/** The content goes first: a removal that is cut off leaves the lock file, and with it a folder that can be recognised. */
async function remove(folder: string, lock: DataDirLock): Promise<void> {
  try {
    await rm(join(folder, CONTENT), FORCED)
    // Windows cannot remove the lock file while it is open.
    if (process.platform !== 'win32') await rm(folder, FORCED)
  } finally {
    await lock.release().catch(() => undefined)
  }
  await rm(folder, FORCED)
}
