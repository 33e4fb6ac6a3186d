import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import {
  type FileStore,
  isFileKey,
  itemsUntilAborted,
  QuotaExceededError,
  requireFileKey,
  type StoredFile,
} from '../../src/ports/index.js'
import { isMissing, onDisk, translateReadError } from './errors.js'
import { syncFolder } from './sync-folder.js'

const FAN_OUT = /^[0-9a-f]{2}$/
const UNFINISHED = 'unfinished'
/** What is stored is for the engine's user alone. */
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
/** Hashed in one go: a few milliseconds of work. */
const PART_BYTES = 1_048_576
/** Read in one go: an extraction passes it on through two processes, and the fewer pieces there are, the sooner it has all. */
const BYTES_PER_READ = 262_144

/** Files in a folder: `ab/<uuid>`, written under another name until they are whole and on the disk. */
export class FolderFileStore implements FileStore {
  readonly #folder: string

  /** @param folder made at the first write */
  constructor(folder: string) {
    this.#folder = resolve(folder)
  }

  async write(
    key: string,
    content: AsyncIterable<Uint8Array>,
    options: { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<StoredFile> {
    const path = this.#pathOf(key)
    const temporary = join(this.#folder, UNFINISHED, `${key}-${Date.now()}`)
    try {
      await onDisk(makeFolder(join(this.#folder, UNFINISHED)))
      await onDisk(makeFolder(this.#parentOf(key)))
      const stored = await writeFile(temporary, content, options)
      await onDisk(rename(temporary, path))
      await syncFolder(this.#parentOf(key))
      return stored
    } catch (error) {
      // What cannot be removed either is removed at the next start; the first error is the one to tell.
      await rm(temporary, { force: true }).catch(() => undefined)
      throw error
    }
  }

  async *read(key: string): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of createReadStream(this.#pathOf(key), { highWaterMark: BYTES_PER_READ }))
        yield piece as Uint8Array
    } catch (error) {
      throw translateReadError(error, key)
    }
  }

  async sizeOf(key: string): Promise<number | undefined> {
    try {
      return (await stat(this.#pathOf(key))).size
    } catch (error) {
      if (isMissing(error)) return undefined
      throw translateReadError(error, key)
    }
  }

  async digest(key: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<StoredFile> {
    const hash = createHash('sha256')
    let sizeBytes = 0
    for await (const piece of this.read(key)) {
      signal?.throwIfAborted()
      sizeBytes += piece.byteLength
      hash.update(piece)
    }
    return { sizeBytes, sha256: hash.digest('hex') }
  }

  async delete(key: string): Promise<void> {
    await onDisk(rm(this.#pathOf(key), { force: true }))
  }

  async *list(): AsyncGenerator<string> {
    for (const folder of await namesIn(this.#folder)) {
      if (!FAN_OUT.test(folder)) continue
      for (const name of await namesIn(join(this.#folder, folder))) if (isFileKey(name)) yield name
    }
  }

  /** The folder itself stays: somebody may be about to write into it. */
  async removeUnfinished({ olderThanMs = 0 }: { readonly olderThanMs?: number } = {}): Promise<void> {
    const folder = join(this.#folder, UNFINISHED)
    const before = Date.now() - olderThanMs
    for (const name of await namesIn(folder)) {
      const path = join(folder, name)
      if (olderThanMs > 0 && (await lastWritten(path)) > before) continue
      await onDisk(rm(path, { recursive: true, force: true }))
    }
  }

  #pathOf(key: string): string {
    return join(this.#parentOf(key), key)
  }

  #parentOf(key: string): string {
    requireFileKey(key)
    return join(this.#folder, key.slice(0, 2))
  }
}

async function writeFile(
  path: string,
  content: AsyncIterable<Uint8Array>,
  options: { readonly maxBytes: number; readonly signal?: AbortSignal },
): Promise<StoredFile> {
  const { maxBytes, signal } = options
  const hash = createHash('sha256')
  let sizeBytes = 0
  const file = await onDisk(open(path, 'wx', FILE_MODE))
  try {
    signal?.throwIfAborted()
    for await (const piece of itemsUntilAborted(content, signal)) {
      sizeBytes += piece.byteLength
      if (sizeBytes > maxBytes) throw new QuotaExceededError(`the file has more than ${maxBytes} bytes`)
      for (const part of inParts(piece)) {
        hash.update(part)
        await onDisk(writeAll(file, part))
      }
    }
    await onDisk(file.sync())
  } finally {
    await onDisk(file.close())
  }
  return { sizeBytes, sha256: hash.digest('hex') }
}

/** A whole file may come in one piece; hashing it at one go would hold up the event loop. */
function* inParts(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES)
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength; ) at += (await file.write(bytes, at)).bytesWritten
}

/** A new folder is on the disk once the one that it lies in is. */
async function makeFolder(path: string): Promise<void> {
  const firstMade = await mkdir(path, { recursive: true, mode: FOLDER_MODE })
  if (firstMade === undefined) return
  for (let made = path; made.length >= firstMade.length; made = dirname(made)) await syncFolder(dirname(made))
}

/** Milliseconds since the epoch; 0 for what has come to its end meanwhile. */
async function lastWritten(path: string): Promise<number> {
  const found = stat(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  return (await onDisk(found))?.mtimeMs ?? 0
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names = readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  return await onDisk(names)
}
