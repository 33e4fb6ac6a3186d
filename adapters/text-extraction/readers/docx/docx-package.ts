import { posix } from 'node:path'
import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Entry, fromBuffer, type ZipFile } from 'yauzl'
import { withoutTail } from './zip-end.js'

/** A part of a file is missing or damaged. */
export class DamagedPartError extends Error {}

/** The parts of a zip container by their names. A part is inflated only when it is read. */
export class DocxPackage {
  readonly #claimed = new Set<string>()

  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  /** @throws Error if the bytes are no zip, or its directory is damaged */
  static async open(bytes: Buffer): Promise<DocxPackage> {
    return await new Promise((resolve, reject) => {
      // Names are decoded here, because yauzl refuses a whole archive with a backslash in a name.
      fromBuffer(withoutTail(bytes), { lazyEntries: true, decodeStrings: false }, (error, zip) => {
        if (error !== null) {
          reject(error)
          return
        }
        const entries = new Map<string, Entry>()
        const readNext = (): void => {
          try {
            zip.readEntry()
          } catch (thrown) {
            // yauzl throws inside its callback if the directory continues after the end of the file.
            reject(new DamagedPartError('the directory of the archive is damaged', { cause: thrown }))
          }
        }
        zip.on('error', reject)
        zip.on('end', () => {
          resolve(new DocxPackage(zip, entries))
        })
        zip.on('entry', (entry: Entry) => {
          const key = keyOf((entry.fileName as unknown as Buffer).toString('utf8'))
          if (!entries.has(key)) entries.set(key, entry)
          readNext()
        })
        readNext()
      })
    })
  }

  has(name: string): boolean {
    return this.entries.has(keyOf(name))
  }

  /**
   * True for the first call with a part, under any spelling of its name. A hostile file names one part again and again:
   * a reader reads the parts that it has claimed.
   */
  claim(name: string): boolean {
    const key = keyOf(name)
    if (this.#claimed.has(key)) return false
    this.#claimed.add(key)
    return true
  }

  /** The names of the parts in the form for comparisons: lower case, without a slash in front. */
  names(): Iterable<string> {
    return this.entries.keys()
  }

  /**
   * Inflates the bytes of a part, at most the number in the directory.
   * @throws DamagedPartError if the part is missing, or if its bytes are damaged. In the second case the bytes before
   *   the damage are already yielded
   */
  async *bytes(name: string): AsyncGenerator<Buffer> {
    const entry = this.entries.get(keyOf(name))
    if (entry === undefined) throw new DamagedPartError(`${name} is missing`)
    let checksum = 0
    try {
      for await (const bytes of await this.#openStream(entry)) {
        checksum = crc32(bytes as Buffer, checksum)
        yield bytes as Buffer
      }
    } catch (error) {
      throw new DamagedPartError(`${name} is damaged`, { cause: error })
    }
    if (checksum !== entry.crc32) throw new DamagedPartError(`${name} is damaged`)
  }

  async #openStream(entry: Entry): Promise<Readable> {
    return await new Promise((resolve, reject) => {
      this.zip.openReadStream(entry, (error, stream) => {
        if (error === null) resolve(stream)
        else reject(error)
      })
    })
  }
}

/** Resolves a reference from one part to another. */
export function resolvePart(from: string, target: string): string {
  return target.startsWith('/') ? target.slice(1) : posix.join(posix.dirname(from), target)
}

/** The name of the part with the relationships of another part. */
export function relationshipsOf(name: string): string {
  return posix.join(posix.dirname(name), '_rels', `${posix.basename(name)}.rels`)
}

/** The key of a part: names do not differ by case. */
export function keyOf(name: string): string {
  return posix.normalize(name.replaceAll('\\', '/')).replace(/^\/+/, '').toLowerCase()
}
