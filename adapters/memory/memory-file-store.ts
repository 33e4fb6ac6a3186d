import {
  FileMissingError,
  type FileStore,
  itemsUntilAborted,
  QuotaExceededError,
  requireFileKey,
  type StoredFile,
} from '../../src/ports/index.js'

/** Files in memory. The end of the process deletes them. */
export class MemoryFileStore implements FileStore {
  readonly #files = new Map<string, Uint8Array<ArrayBuffer>>()

  async write(
    key: string,
    content: AsyncIterable<Uint8Array>,
    options: { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<StoredFile> {
    requireFileKey(key)
    options.signal?.throwIfAborted()
    const pieces: Uint8Array<ArrayBuffer>[] = []
    let sizeBytes = 0
    for await (const piece of itemsUntilAborted(content, options.signal)) {
      sizeBytes += piece.byteLength
      if (sizeBytes > options.maxBytes) throw new QuotaExceededError(`the file has more than ${options.maxBytes} bytes`)
      // A copy: `slice` of a Buffer would share the caller's memory.
      pieces.push(new Uint8Array(piece))
    }
    const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer())
    this.#files.set(key, bytes)
    return await digestOf(bytes)
  }

  async *read(key: string): AsyncGenerator<Uint8Array> {
    yield this.#bytesOf(key).slice()
  }

  async sizeOf(key: string): Promise<number | undefined> {
    requireFileKey(key)
    return this.#files.get(key)?.byteLength
  }

  async digest(key: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<StoredFile> {
    signal?.throwIfAborted()
    return await digestOf(this.#bytesOf(key))
  }

  async delete(key: string): Promise<void> {
    requireFileKey(key)
    this.#files.delete(key)
  }

  async *list(): AsyncGenerator<string> {
    yield* [...this.#files.keys()]
  }

  async usedBytes(): Promise<number> {
    return [...this.#files.values()].reduce((bytes, file) => bytes + file.byteLength, 0)
  }

  /** An unfinished write leaves nothing in memory. */
  async removeUnfinished(): Promise<void> {
    await Promise.resolve()
  }

  #bytesOf(key: string): Uint8Array<ArrayBuffer> {
    requireFileKey(key)
    const bytes = this.#files.get(key)
    if (bytes === undefined) throw new FileMissingError(`the file ${key} is not in the file store`)
    return bytes
  }
}

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<StoredFile> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const sha256 = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return { sizeBytes: bytes.byteLength, sha256 }
}
