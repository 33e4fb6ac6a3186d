import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import {
  type FileStore,
  isFileKey,
  itemsUntilAborted,
  QuotaExceededError,
  requireFileKey,
  type StoredFile,
} from '../../src/ports/index.js'
import { freeBytesOf, makeFolder, requireWritable, syncFolder, usedBytesOf } from '../node-kit/index.js'
import { isMissing, translateReadError, withTranslatedErrors } from './errors.js'

/** The names of the folders with files: the first two characters of a key. */
const KEY_FOLDER = /^[0-9a-f]{2}$/
const UNFINISHED_FOLDER = 'unfinished'
/** Only the user of the engine may read the files. */
const FILE_MODE = 0o600
/** Bytes that are hashed in one step, which takes a few milliseconds. */
const PART_BYTES = 1_048_576
/** Bytes of one read. An extraction passes each piece through two processes, so fewer pieces are faster. */
const BYTES_PER_READ = 262_144

/** Files in a folder, as `ab/<uuid>`. A file has a temporary name until it is complete and on the disk. */
export class FolderFileStore implements FileStore {
  readonly #folder: string

  /** @param folder created at the first write */
  constructor(folder: string) {
    this.#folder = resolve(folder)
  }

  async write(
    key: string,
    content: AsyncIterable<Uint8Array>,
    options: { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<StoredFile> {
    const path = this.#pathOf(key)
    const temporary = join(this.#folder, UNFINISHED_FOLDER, `${key}-${Date.now()}`)
    try {
      await withTranslatedErrors(createFolder(join(this.#folder, UNFINISHED_FOLDER)))
      await withTranslatedErrors(createFolder(this.#parentOf(key)))
      const stored = await writeFile(temporary, content, options)
      await withTranslatedErrors(rename(temporary, path))
      await syncFolder(this.#parentOf(key))
      return stored
    } catch (error) {
      // The first error is thrown. A temporary file that cannot be removed now is removed at the next start.
      await rm(temporary, { force: true }).catch(() => undefined)
      throw error
    }
  }

  async requireWritable(): Promise<void> {
    await requireWritable(this.#folder, 'files')
  }

  async freeBytes(): Promise<number | undefined> {
    // The first write creates the folder, on the disk of its parent.
    const free = freeBytesOf(this.#folder).catch(async () => await freeBytesOf(dirname(this.#folder)))
    return await free.catch(() => undefined)
  }

  async usedBytes(): Promise<number | undefined> {
    return await withTranslatedErrors(usedBytesOf(this.#folder))
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
    const removal = unlink(this.#pathOf(key)).catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
    await withTranslatedErrors(removal)
  }

  async *list(): AsyncGenerator<string> {
    for (const folder of await namesIn(this.#folder)) {
      if (!KEY_FOLDER.test(folder)) continue
      for (const name of await namesIn(join(this.#folder, folder))) if (isFileKey(name)) yield name
    }
  }

  /** The folder itself stays, as another call may be about to write into it. */
  async removeUnfinished({ olderThanMs = 0 }: { readonly olderThanMs?: number } = {}): Promise<void> {
    const folder = join(this.#folder, UNFINISHED_FOLDER)
    const before = Date.now() - olderThanMs
    for (const name of await namesIn(folder)) {
      const path = join(folder, name)
      if (olderThanMs > 0 && (await lastWrittenMs(path)) > before) continue
      await withTranslatedErrors(rm(path, { recursive: true, force: true }))
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
  const file = await withTranslatedErrors(open(path, 'wx', FILE_MODE))
  try {
    signal?.throwIfAborted()
    for await (const piece of itemsUntilAborted(content, signal)) {
      sizeBytes += piece.byteLength
      if (sizeBytes > maxBytes) throw new QuotaExceededError(`the file has more than ${maxBytes} bytes`)
      for (const part of inParts(piece)) {
        hash.update(part)
        await withTranslatedErrors(writeAll(file, part))
      }
    }
    await withTranslatedErrors(file.sync())
  } finally {
    await withTranslatedErrors(file.close())
  }
  return { sizeBytes, sha256: hash.digest('hex') }
}

/** Divides a piece into parts. It may be a whole file, and hashing it in one step would block the event loop. */
function* inParts(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += PART_BYTES) yield bytes.subarray(start, start + PART_BYTES)
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.byteLength; ) written += (await file.write(bytes, written)).bytesWritten
}

/** Creates a folder, and syncs the parent of each new folder: only then is the folder surely on the disk. */
async function createFolder(path: string): Promise<void> {
  const firstCreated = await makeFolder(path)
  if (firstCreated === undefined) return
  for (let folder = path; folder.length >= firstCreated.length; folder = dirname(folder))
    await syncFolder(dirname(folder))
}

/** The time of the last write, in milliseconds since the epoch; 0 if the file is missing. */
async function lastWrittenMs(path: string): Promise<number> {
  const found = stat(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  return (await withTranslatedErrors(found))?.mtimeMs ?? 0
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names = readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  return await withTranslatedErrors(names)
}
