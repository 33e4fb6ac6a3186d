import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ModelError, StorageFullError } from '../../../../src/index.js'
import { codeOf, diskErrorOf, freeBytesOf, ifPresent } from '../../../node-kit/index.js'
import type { HubClient } from './hub-client.js'
import { cutOff, wrongFile } from './hub-errors.js'
import type { HubFile } from './hub-file.js'

/** Bytes that a connection must bring before its end is no reason to give up. */
const PROGRESS_BYTES = 65_536
/** Free space that must stay: the profile, and the work of others. */
const SPARE_BYTES = 32_000_000

export interface DownloadProgress {
  /** The file that is downloaded, such as `onnx/model_quantized.onnx`. */
  readonly file: string
  /** Bytes of all files so far, with those of an earlier run. */
  readonly bytes: number
  readonly totalBytes: number
}

/** A folder with the files of one commit, complete or not. A later run goes on where an earlier one stopped. */
export class PartialDownload {
  #doneBytes = 0
  #totalBytes = 0

  constructor(
    private readonly folder: string,
    private readonly hub: HubClient,
    private readonly commit: string,
    private readonly onProgress: ((progress: DownloadProgress) => void) | undefined,
  ) {}

  /**
   * Makes the folder, and counts what an earlier run has brought.
   *
   * @throws StorageFullError if the disk has no room for the rest
   */
  async prepare(files: readonly HubFile[]): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    // An attempt keeps the folder for another month.
    await utimes(this.folder, new Date(), new Date())
    this.#totalBytes = files.reduce((sum, { size }) => sum + size, 0)
    const sizes = await Promise.all(files.map(async ({ path, size }) => Math.min(size, await this.#sizeOf(path))))
    const missing = this.#totalBytes - sizes.reduce((sum, size) => sum + size, 0)
    const free = await freeBytesOf(this.folder)
    if (free >= missing + SPARE_BYTES) return
    throw new StorageFullError(
      `the model needs ${megabytes(missing + SPARE_BYTES)} MB more on the disk of ${this.folder}, and ${megabytes(free)} MB are free: free some space, then run the command again`,
    )
  }

  /** Brings one file, and checks its hash. @throws ModelError, StorageFullError */
  async bring(file: HubFile): Promise<void> {
    const path = join(this.folder, file.path)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const wasThere = (await this.#sizeOf(file.path)) > 0
    await this.#complete(file, path)
    if (!(await hasHash(path, file))) {
      await rm(path)
      // The part of an earlier run may be damaged, for example by a power cut. Only a whole file shows a wrong server.
      if (wasThere) await this.#complete(file, path)
      if (!wasThere || !(await hasHash(path, file))) {
        await rm(path, { force: true })
        throw wrongFile(file.path, this.hub.at)
      }
    }
    this.#doneBytes += file.size
  }

  /** Removes the folder. */
  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }

  /** Asks for the rest of a file until it is there, as long as each connection brings a part of it. */
  async #complete(file: HubFile, path: string): Promise<void> {
    let size = await this.#sizeOf(file.path)
    if (size > file.size) {
      await rm(path)
      size = 0
    }
    if (file.size === 0) await onDisk(writeFile(path, '', { mode: 0o600 }))
    while (size < file.size) {
      await this.hub.retry(async () => {
        const before = await this.#sizeOf(file.path)
        try {
          await this.#receive(file, path, before)
        } catch (error) {
          const gained = (await this.#sizeOf(file.path)) - before
          if (!(error instanceof ModelError && error.isTransient) || gained < PROGRESS_BYTES) throw error
        }
      })
      size = await this.#sizeOf(file.path)
    }
  }

  async #receive(file: HubFile, path: string, from: number): Promise<void> {
    const handle = await onDisk(open(path, 'a', 0o600))
    let at = from
    try {
      await this.hub.read(this.commit, file, from, {
        begin: (isWhole) => {
          if (isWhole) at = 0
        },
        write: async (piece) => {
          // The bytes of a whole answer that are there already stay, for it may be cut before it reaches their end.
          const fresh = piece.subarray(Math.max(0, from - at))
          at += piece.length
          // A server that sends more than it has announced sends another file.
          if (at > file.size) throw wrongFile(file.path, this.hub.at)
          if (fresh.length === 0) return
          await onDisk(handle.appendFile(fresh))
          this.onProgress?.({ file: file.path, bytes: this.#doneBytes + at, totalBytes: this.#totalBytes })
        },
      })
    } finally {
      await handle.close()
      if (at > file.size) await rm(path, { force: true })
    }
    if (at < file.size) throw cutOff(file.path, this.hub.at)
  }

  async #sizeOf(path: string): Promise<number> {
    return (await ifPresent(stat(join(this.folder, path)), undefined))?.size ?? 0
  }
}

/** @throws StorageFullError, StorageReadOnlyError */
async function onDisk<T>(work: Promise<T>): Promise<T> {
  return await work.catch((error: unknown) => {
    throw diskErrorOf(codeOf(error), 'models', error) ?? error
  })
}

async function hasHash(path: string, { size, hash }: HubFile): Promise<boolean> {
  const digest = createHash(hash.kind === 'sha256' ? 'sha256' : 'sha1')
  // Git names a file by its kind, its size and its content.
  if (hash.kind === 'git-sha1') digest.update(`blob ${size}\0`)
  for await (const piece of createReadStream(path)) digest.update(piece as Uint8Array)
  return digest.digest('hex') === hash.hex
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1e6)
}
