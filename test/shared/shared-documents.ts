import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** A document of the shared data, as its manifest describes it. */
export interface SharedDocument {
  /** Path below the data folder. */
  readonly file: string
  readonly type: string
  readonly tag: string
}

/** The folder of the shared data: `ALCOVE_SHARED`, or `../shared` beside the project; `undefined` where it is missing. */
export const dataFolder: string | undefined = findDataFolder()

function findDataFolder(): string | undefined {
  const shared = process.env['ALCOVE_SHARED'] ?? join(import.meta.dirname, '../../../shared')
  const folder = join(shared, 'data')
  if (existsSync(join(folder, 'manifest.json'))) return folder
  console.warn(`left out: the shared data are not in ${shared} (ALCOVE_SHARED names the folder that has them)`)
  return undefined
}

/** The documents of the types that can be uploaded; or all files, bombs included. */
export async function sharedDocuments(which: 'uploadable' | 'all' = 'uploadable'): Promise<SharedDocument[]> {
  if (dataFolder === undefined) return []
  const manifest = JSON.parse(await readFile(join(dataFolder, 'manifest.json'), 'utf8')) as {
    readonly files: readonly SharedDocument[]
  }
  return manifest.files.filter(({ type }) => which === 'all' || type !== 'other')
}

/**
 * The documents that can be uploaded, for a test that needs long for each: all, or every n-th if `ALCOVE_EVERY` is n.
 * Tests with another offset use other documents.
 */
export async function someDocuments(turn: number): Promise<SharedDocument[]> {
  const every = Number(process.env['ALCOVE_EVERY'] ?? 1)
  return (await sharedDocuments()).filter((_, at) => at % every === turn % every)
}

/** A document's bytes, unpacked, and its file name for an upload. */
export async function readShared({
  file,
}: SharedDocument): Promise<{ readonly fileName: string; readonly bytes: Buffer }> {
  const packed = await readFile(join(dataFolder ?? '', file))
  const isPacked = file.endsWith('.gz')
  return { fileName: basename(file, '.gz'), bytes: isPacked ? gunzipSync(packed) : packed }
}
