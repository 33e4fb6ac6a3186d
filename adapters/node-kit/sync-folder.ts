import { open } from 'node:fs/promises'

/**
 * Writes the entries of a folder to the disk, so that a new name in it survives a power cut. Windows cannot open
 * folders, and does not need this.
 */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined)
  // Some file systems refuse to sync a folder.
  await folder?.sync().catch(() => undefined)
  await folder?.close()
}
