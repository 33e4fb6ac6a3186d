import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

export interface FileToIngest {
  readonly path: string
  readonly name: string
}

const READABLE = /\.(pdf|docx?|txt|md|csv)$/i

/** What paths on the command line mean. */
export interface FilesToIngest {
  readonly files: readonly FileToIngest[]
  /** Files in a folder whose ending is not known. */
  readonly skipped: readonly string[]
}

/**
 * The files that paths on the command line mean. A file that is named is taken as
 * it is; of a folder, with the folders in it, those whose ending is known.
 */
export async function filesToIngest(paths: readonly string[]): Promise<FilesToIngest> {
  const files: FileToIngest[] = []
  const skipped: string[] = []
  for (const path of paths) {
    const isFolder = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    )
    // A path that is not there fails like any other file, when it is read.
    if (!isFolder) {
      files.push({ path, name: basename(path) })
      continue
    }
    for (const found of await filesIn(path)) {
      if (READABLE.test(found)) files.push({ path: found, name: basename(found) })
      else skipped.push(found)
    }
  }
  return { files, skipped }
}

/** Files below a folder in the order of their names; hidden ones are left alone. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const found: string[] = []
  for (const entry of entries.sort((one, other) => one.name.localeCompare(other.name))) {
    if (entry.name.startsWith('.')) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) found.push(...(await filesIn(path)))
    else if (entry.isFile()) found.push(path)
  }
  return found
}
