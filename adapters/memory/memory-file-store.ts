import {
  FileMissingError,
  type FileStore,
  InvalidInputError,
  QuotaExceededError,
  type StoredFile,
} from '../../src/ports/index.js'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Files in memory. Gone with the process. */
export class MemoryFileStore implements FileStore {
  readonly #files = new Map<string, Uint8Array<ArrayBuffer>>()

  async write(
    key: string,
    content: AsyncIterable<Uint8Array>,
    options: { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<StoredFile> {
    requireKey(key)
    options.signal?.throwIfAborted()
    const pieces: Uint8Array[] = []
    let sizeBytes = 0
    for await (const piece of abortable(content, options.signal)) {
      sizeBytes += piece.byteLength
      if (sizeBytes > options.maxBytes) throw new QuotaExceededError(`the file has more than ${options.maxBytes} bytes`)
      pieces.push(piece.slice())
    }
    const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer())
    this.#files.set(key, bytes)
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
    return { sizeBytes, sha256: Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('') }
  }

  async *read(key: string): AsyncGenerator<Uint8Array> {
    requireKey(key)
    const bytes = this.#files.get(key)
    if (bytes === undefined) throw new FileMissingError(`the file ${key} is not in the file store`)
    yield bytes.slice()
  }

  async delete(key: string): Promise<void> {
    requireKey(key)
    this.#files.delete(key)
  }

  async *list(): AsyncGenerator<string> {
    yield* [...this.#files.keys()]
  }

  /** A write that does not end leaves nothing here. */
  async removeUnfinished(): Promise<void> {
    await Promise.resolve()
  }
}

/** Ends a wait for content that does not come once the signal is aborted. */
async function* abortable<Item>(items: AsyncIterable<Item>, signal: AbortSignal | undefined): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]()
  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
  aborted.catch(() => undefined)
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted])
      if (next.done === true) return
      yield next.value
    }
  } finally {
    // A source that hangs would hang here too: it is told, but not waited for.
    void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}

function requireKey(key: string): void {
  if (!UUID.test(key)) throw new InvalidInputError('key', 'must be a lower-case UUID')
}
