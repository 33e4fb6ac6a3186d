import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hundredths } from './measure.js'

/** All files below a folder, with their relative paths. */
export async function filesOf(root: string): Promise<readonly { readonly path: string; readonly bytes: number }[]> {
  const files = await readdir(root, { recursive: true, withFileTypes: true })
  return await Promise.all(
    files
      .filter((file) => file.isFile())
      .map(async (file) => {
        const path = join(file.parentPath, file.name)
        return { path: path.slice(root.length + 1), bytes: (await stat(path)).size }
      }),
  )
}

/** The size of all files below a folder, in MB. */
export async function megabytesIn(root: string): Promise<number> {
  const files = await filesOf(root)
  return hundredths(files.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6)
}
