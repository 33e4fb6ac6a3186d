import { posix } from 'node:path'
import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Entry, fromBuffer, type ZipFile } from 'yauzl'

/** A part of a file that cannot be read as it should be. */
export class DamagedPartError extends Error {}

/** The parts of a zip container, by their names. Nothing is inflated before it is asked for. */
export class DocxPackage {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  /** @throws Error where the bytes are no zip, or its directory is damaged */
  static async open(bytes: Buffer): Promise<DocxPackage> {
    return await new Promise((resolve, reject) => {
      // Names are decoded here: yauzl refuses a whole archive for a backslash in one of them.
      fromBuffer(bytes, { lazyEntries: true, decodeStrings: false }, (error, zip) => {
        if (error !== null) {
          reject(error)
          return
        }
        const entries = new Map<string, Entry>()
        const readNext = (): void => {
          try {
            zip.readEntry()
          } catch (thrown) {
            // yauzl may throw at a directory that goes on past the end, in a callback of its own.
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
    return this.#entries.has(keyOf(name))
  }

  /** Names of parts as they are compared: lower case, without a slash in front. */
  names(): Iterable<string> {
    return this.#entries.keys()
  }

  /**
   * The bytes of a part as they are inflated; no more than the directory says there are.
   * @throws DamagedPartError where the part is missing, or its bytes are not what was packed;
   *   what was inflated before has been given by then
   */
  async *bytes(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(keyOf(name))
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
      this.#zip.openReadStream(entry, (error, stream) => {
        if (error === null) resolve(stream)
        else reject(error)
      })
    })
  }
}

/** The name of a part that another part refers to. */
export function resolvePart(from: string, target: string): string {
  return target.startsWith('/') ? target.slice(1) : posix.join(posix.dirname(from), target)
}

/** The name of the part that holds another one's relationships. */
export function relationshipsOf(name: string): string {
  return posix.join(posix.dirname(name), '_rels', `${posix.basename(name)}.rels`)
}

/** Names of parts are the same in upper and in lower case. */
function keyOf(name: string): string {
  return posix.normalize(name.replaceAll('\\', '/')).replace(/^\/+/, '').toLowerCase()
}
