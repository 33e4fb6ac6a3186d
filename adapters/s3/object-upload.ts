import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { StorageError, type StoredFile } from '../../src/ports/index.js'
import { CountedContent } from './counted-content.js'
import { translateError } from './errors.js'
import type { Sdk } from './load-sdk.js'
import type { S3Bucket } from './s3-bucket.js'

/** Memory of an upload is about four of them: two under way, one that fills, one that is put together. */
const PART_BYTES = 8_388_608
const PARTS_AT_ONCE = 2
/** S3 takes no more of one object. */
const MAX_PARTS = 10_000
/** How long an upload that is no longer wanted waits for the answer to its last request. */
const GRACE_MS = 5_000

/** What is sent to a client. */
type Send = (command: object) => Promise<unknown>

/**
 * Sends one object: in one request up to a part, otherwise in parts, which are not an object before all of them are
 * there. When anything fails, what is under way is ended, and what was sent is removed.
 */
export class ObjectUpload {
  readonly #bucket: S3Bucket
  readonly #name: string
  /** Aborted with whatever fails first, which is the one to tell. */
  readonly #stop = new AbortController()
  #mayBeThere = false

  /** @param name of the object */
  constructor(bucket: S3Bucket, name: string) {
    this.#bucket = bucket
    this.#name = name
  }

  /** To be called once. @throws as `FileStore.write` */
  async send(
    content: AsyncIterable<Uint8Array>,
    { maxBytes, signal }: { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<StoredFile> {
    signal?.throwIfAborted()
    const aborted = (): void => this.#stop.abort(signal?.reason)
    signal?.addEventListener('abort', aborted, { once: true })
    try {
      const counted = new CountedContent(content, Math.min(maxBytes, MAX_PARTS * PART_BYTES))
      await this.#bucket.ask(async (client, sdk) => await this.#upload(client, sdk, counted))
      this.#stop.signal.throwIfAborted()
      const stored = counted.total()
      await this.#requireWhole(stored)
      return stored
    } catch (error) {
      await this.#remove()
      throw this.#stop.signal.aborted ? this.#stop.signal.reason : error
    } finally {
      signal?.removeEventListener('abort', aborted)
    }
  }

  async #upload(client: S3Client, sdk: Sdk, content: CountedContent): Promise<void> {
    const body = Readable.from(this.#slices(content), { highWaterMark: 1 })
    // Whoever reads it hears of a failure; when nobody does any more, it is no failure of the process.
    body.on('error', () => undefined)
    const upload = new sdk.Upload({
      client: this.#clientFor(client, sdk),
      params: { Bucket: this.#bucket.name, Key: this.#name, Body: body },
      partSize: PART_BYTES,
      queueSize: PARTS_AT_ONCE,
    })
    await upload.done()
  }

  /** A content that fails ends the parts under way, too. */
  async *#slices(content: CountedContent): AsyncGenerator<Uint8Array> {
    try {
      yield* content.slices(this.#stop.signal)
    } catch (error) {
      this.#stop.abort(error)
      throw error
    }
  }

  /**
   * The client as an upload sees it. The SDK's upload neither ends requests under way when something fails, nor
   * waits for its own end when it is aborted itself; so requests are ended here, and it comes to its end by itself.
   */
  #clientFor(client: S3Client, sdk: Sdk): S3Client {
    const send: Send = async (command) => {
      const isRemoval = command instanceof sdk.AbortMultipartUploadCommand
      const isBeginning = command instanceof sdk.CreateMultipartUploadCommand
      const isLast = command instanceof sdk.PutObjectCommand || command instanceof sdk.CompleteMultipartUploadCommand
      if (!isRemoval) this.#stop.signal.throwIfAborted()
      if (isLast) this.#mayBeThere = true
      const sendCommand = client.send.bind(client) as (command: object, options: object) => Promise<unknown>
      try {
        // What is begun must be known, so that it can be removed.
        if (isRemoval || isBeginning) return await sendCommand(command, {})
        if (isLast) return await this.#withGrace(async (abortSignal) => await sendCommand(command, { abortSignal }))
        return await sendCommand(command, { abortSignal: this.#stop.signal })
      } catch (error) {
        const told = translateError(error)
        this.#stop.abort(told)
        throw told
      }
    }
    return { config: client.config, send } as unknown as S3Client
  }

  /** An object that is on its way comes to be there, or not, before it is removed: after that would be too late. */
  async #withGrace<T>(request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const end = new AbortController()
    let timer: NodeJS.Timeout | undefined
    const stopped = (): void => {
      timer = setTimeout(() => end.abort(this.#stop.signal.reason), GRACE_MS)
    }
    this.#stop.signal.addEventListener('abort', stopped, { once: true })
    try {
      return await request(end.signal)
    } finally {
      clearTimeout(timer)
      this.#stop.signal.removeEventListener('abort', stopped)
    }
  }

  async #requireWhole({ sizeBytes }: StoredFile): Promise<void> {
    const { ContentLength: kept } = await this.#bucket.ask((client, { HeadObjectCommand }) =>
      client.send(new HeadObjectCommand({ Bucket: this.#bucket.name, Key: this.#name })),
    )
    if (kept === sizeBytes) return
    throw new StorageError(`the bucket with the files has kept ${kept} of ${sizeBytes} bytes: send the file again`, {
      isTransient: true,
    })
  }

  /**
   * An object whose answer was lost may be there all the same. What cannot be removed either, or comes to be there
   * later, is found by the sweep; the first error is the one to tell.
   */
  async #remove(): Promise<void> {
    if (!this.#mayBeThere) return
    const deleting = this.#bucket.ask((client, { DeleteObjectCommand }) =>
      client.send(new DeleteObjectCommand({ Bucket: this.#bucket.name, Key: this.#name })),
    )
    await deleting.catch(() => undefined)
  }
}
