import { appendFile, readdir, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { crc32 } from 'node:zlib'
import { VectorsDamagedError } from '../../src/ports/index.js'
import { tableFolder } from './table-folders.js'

/** The file with the checksums, in the folder of the table: it goes with the table. */
const SUMS = '_sums'
/** The folders with files that Lance writes once, and needs to read a table. */
const FOLDERS = ['_versions', 'data', '_deletions', '_indices']
const NEEDED = /\.(?:manifest|lance|arrow|bin|idx)$/
/** Files of rows are compared when a table of at most this many bytes is opened, in some ten milliseconds. */
const COMPARED_BYTES = 16 * 1_048_576
/** New files get their checksums this long after a write, beside other work. */
const DELAY_MS = 1_000

/** The checksums of files, by path. */
type Sums = Map<string, number>

/**
 * The checksums of the files of tables in a folder. Lance has none: a changed bit in a vector gives another order, and
 * one in a manifest can make a native call never end.
 */
export class TableSums {
  readonly #folder: string
  readonly #timers = new Map<string, NodeJS.Timeout>()
  #noting: Promise<void> = Promise.resolve()

  constructor(folder: string) {
    this.#folder = folder
  }

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
    const paths = files.filter((path) => sums.has(path) && !path.startsWith('_versions'))
    let bytes = 0
    for (const path of [...(manifest === undefined || !sums.has(manifest) ? [] : [manifest]), ...paths]) {
      if (bytes > COMPARED_BYTES) return
      const content = await readFile(join(table, path)).catch(() => undefined)
      bytes += content?.length ?? 0
      if (content !== undefined && crc32(content) !== sums.get(path)) throw damaged(name)
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
    return tableFolder(this.#folder, name)
  }
}

function damaged(name: string): VectorsDamagedError {
  return new VectorsDamagedError(
    `the vectors of ${name} are damaged: run "alcove doctor --repair" to build them again from the documents`,
  )
}

/** The manifest of the newest version, which has the lowest name. */
function newestOf(paths: readonly string[]): string | undefined {
  return paths.filter((path) => path.startsWith('_versions')).sort()[0]
}

async function addSums(table: string): Promise<void> {
  const sums = await readSums(table)
  for (const path of await filesOf(table)) {
    if (sums.has(path)) continue
    const content = await readFile(join(table, path)).catch(() => undefined)
    if (content !== undefined) await appendFile(join(table, SUMS), `${crc32(content)} ${path}\n`, { mode: 0o600 })
  }
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
    const names = await readdir(join(table, folder), { recursive: true }).catch(() => [])
    found.push(...names.filter((name) => NEEDED.test(name)).map((name) => `${folder}/${name.replaceAll(sep, '/')}`))
  }
  return found
}
