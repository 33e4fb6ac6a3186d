import { createReadStream } from 'node:fs'
import { appendFile, readdir, readFile, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { crc32 } from 'node:zlib'
import { VectorsDamagedError } from '../../src/ports/index.js'
import { replacePrivateFile } from '../node-kit/index.js'
import { tableFolder } from './table-folders.js'

/** The file with the checksums, in the folder of the table: it goes with the table. */
const SUMS = '_sums'
/** The folders with files that Lance writes once, and needs to read a table. */
const INDICES = '_indices'
const FOLDERS = ['_versions', 'data', '_deletions', INDICES]
const NEEDED = /\.(?:manifest|lance|arrow|bin|idx)$/
/** Files of rows are compared when a table of at most this many bytes is opened, in some ten milliseconds. */
const COMPARED_BYTES = 16 * 1_048_576
/** With this many times as many lines as files, the lines of files that are gone are removed. */
const MAX_GONE = 4
/** New files get their checksums this long after a write, beside other work. */
const DELAY_MS = 1_000

/** The checksums of files, by path. */
type Sums = Map<string, number>

/**
 * The checksums of the files of tables in a folder. Lance has none: a changed bit in a vector gives another order, and
 * one in a manifest can make a native call never end.
 */
export class TableSums {
  readonly #timers = new Map<string, NodeJS.Timeout>()
  #noting: Promise<void> = Promise.resolve()

  constructor(private readonly folder: string) {}

  /** Compares the files of a table with their checksums. @throws VectorsDamagedError */
  async check(name: string): Promise<void> {
    const table = this.#pathOf(name)
    const sums = await readSums(table)
    if (sums.size === 0) return
    const files = await filesOf(table)
    const manifest = newestOf(files)
    const known = newestOf([...sums.keys()])
    // Lance would read the version before the newest one, which lacks rows.
    if (known !== undefined && (manifest === undefined || manifest > known)) throw damaged(name)
    const newest = manifest === undefined ? undefined : await readFile(join(table, manifest)).catch(() => undefined)
    if (manifest !== undefined && newest !== undefined && isChanged(newest, sums.get(manifest))) throw damaged(name)
    const isUsed = newest === undefined ? () => true : usedBy(newest)
    let bytes = 0
    for (const path of files.filter((file) => sums.has(file) && isUsed(file))) {
      const { size } = await stat(join(table, path)).catch(() => ({ size: 0 }))
      bytes += size
      if (bytes > COMPARED_BYTES) return
      const content = await readFile(join(table, path)).catch(() => undefined)
      if (content !== undefined && isChanged(content, sums.get(path))) throw damaged(name)
    }
  }

  /** Called after each write to a table. */
  noteWrite(name: string): void {
    if (this.#timers.has(name)) return
    const timer = setTimeout(() => {
      this.#timers.delete(name)
      this.#note(name)
    }, DELAY_MS)
    this.#timers.set(name, timer.unref())
  }

  /** Waits until nothing is written to the folder of a table that is about to be dropped. */
  async forget(name: string): Promise<void> {
    clearTimeout(this.#timers.get(name))
    this.#timers.delete(name)
    await this.#noting
  }

  /** Notes the checksums of all files that have none yet. */
  async close(): Promise<void> {
    for (const [name, timer] of this.#timers) {
      clearTimeout(timer)
      this.#note(name)
    }
    this.#timers.clear()
    await this.#noting
  }

  #note(name: string): void {
    // A file without a checksum is not compared. The next write tries again.
    this.#noting = this.#noting.then(async () => await addSums(this.#pathOf(name))).catch(() => undefined)
  }

  #pathOf(name: string): string {
    return tableFolder(this.folder, name)
  }
}

function damaged(name: string): VectorsDamagedError {
  return new VectorsDamagedError(
    `the vectors of ${name} are damaged: run "alcove doctor --repair" to build them again from the documents`,
  )
}

/** Content without a checksum counts as unchanged. */
function isChanged(content: Buffer, sum: number | undefined): boolean {
  return sum !== undefined && crc32(content) !== sum
}

/** The last part of a name tells files apart. In a manifest, the length of a name stands before it, as one character. */
const NAME_END = /[\w-]{24}\.lance/g

/**
 * The files that the version of a manifest may read. Hundreds of small files of versions before may be there. The names
 * of files with rows are in the manifest as they are.
 */
function usedBy(manifest: Buffer): (path: string) => boolean {
  const ends = new Set(manifest.toString('latin1').match(NAME_END))
  return (path) => !path.startsWith('_versions') && (!path.startsWith('data') || ends.has(path.slice(-30)))
}

/** The manifest of the newest version, which has the lowest name. */
function newestOf(paths: readonly string[]): string | undefined {
  return paths.filter((path) => path.startsWith('_versions')).sort()[0]
}

async function addSums(table: string): Promise<void> {
  const sums = await readSums(table)
  const files = await filesOf(table)
  for (const path of files) {
    if (sums.has(path)) continue
    const sum = await sumOf(join(table, path)).catch(() => undefined)
    if (sum === undefined) continue
    sums.set(path, sum)
    await appendFile(join(table, SUMS), lineOf(path, sum), { mode: 0o600 })
  }
  if (sums.size < MAX_GONE * files.length) return
  const kept = new Set([...files, newestOf([...sums.keys()])])
  const lines = [...sums].filter(([path]) => kept.has(path)).map(([path, sum]) => lineOf(path, sum))
  await replacePrivateFile(join(table, SUMS), lines.join(''))
}

function lineOf(path: string, sum: number): string {
  return `${sum} ${path}\n`
}

/** Reads the file in pieces, because a merged file may have gigabytes. */
async function sumOf(path: string): Promise<number> {
  let sum = 0
  for await (const piece of createReadStream(path, { highWaterMark: 2 ** 20 })) sum = crc32(piece as Buffer, sum)
  return sum
}

/** A line that cannot be read has no checksum. */
async function readSums(table: string): Promise<Sums> {
  const lines = (await readFile(join(table, SUMS), 'utf8').catch(() => '')).split('\n')
  return new Map(
    lines.flatMap((line) => {
      const [, sum, path] = /^(\d+) (\S+)$/.exec(line) ?? []
      return sum === undefined || path === undefined ? [] : [[path, Number(sum)] as const]
    }),
  )
}

async function filesOf(table: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const folder of FOLDERS) {
    // Only the files of an index are in folders of their own.
    const names = await readdir(join(table, folder), { recursive: folder === INDICES }).catch(() => [])
    found.push(...names.filter((name) => NEEDED.test(name)).map((name) => `${folder}/${name.replaceAll(sep, '/')}`))
  }
  return found
}
