import { open } from 'node:fs/promises'

/** A new name is on the disk once its folder is; where folders cannot be opened (Windows) it is so by itself. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined)
  // Some file systems refuse it.
  await folder?.sync().catch(() => undefined)
  await folder?.close()
}
