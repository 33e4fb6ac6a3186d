import { open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'

const FILLER = 'filler'

/** Writes until the disk is full, or has only so many bytes left. */
export async function fill(disk: string, spareBytes: number = 0): Promise<void> {
  const file = await open(join(disk, FILLER), 'w')
  const { bavail, bsize } = await statfs(disk)
  for (let size = bavail * bsize - spareBytes; size >= 512; size = Math.floor(size / 2)) {
    await file.write(Buffer.alloc(size, 1)).catch(() => undefined)
    if (spareBytes > 0) break
  }
  await file.close()
}

/** Releases the room that {@link fill} has taken. */
export async function makeRoom(disk: string): Promise<void> {
  await rm(join(disk, FILLER))
}
