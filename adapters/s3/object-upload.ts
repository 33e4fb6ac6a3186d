import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type {
  ListMultipartUploadsCommandOutput,
  ListPartsCommandOutput,
  MultipartUpload,
  S3Client,
} from '@aws-sdk/client-s3'
import { isError, itemsUntilAborted, QuotaExceededError, StorageError, type StoredFile } from '../../src/ports/index.js'
import { notS3Error, translateError } from './errors.js'
import type { S3Bucket, Sdk } from './s3-bucket.js'

/**
 * The size of a part, the least that S3 accepts: without TLS each part is hashed at once, which takes 35 ms on a slow
 * machine. An upload uses the memory of about four parts: two that are being sent, one that fills, one that
 * is put together.
 */
const PART_BYTES = 5_242_880
const PARTS_AT_ONCE = 2
/** The most parts that S3 accepts for one object. */
const MAX_PARTS = 10_000
/** The time for which an aborted upload waits for the answer to its last request. */
const GRACE_MS = 5_000

/** Sends a command to a client. */
type Send = (command: object) => Promise<unknown>

/**
 * Uploads one object: in one request if it fits in a part, otherwise in parts. The object exists only after all parts
 * are there. If anything fails, requests in progress are aborted, and what was sent is removed.
 */
export class ObjectUpload {
  /** Aborted with the first failure, which is the one to report. */
  readonly #stop = new AbortController()
  #mayExist = false

  /** @param name the name of the object */
  constructor(
    private readonly bucket: S3Bucket,
    private readonly name: string,
  ) {}

  /** Call it once. @throws as `FileStore.write` */
  async send(
    content: AsyncIterable<Uint8Array>,
    { maxBytes, signal }: { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<StoredFile> {
    signal?.throwIfAborted()
    const onAbort = (): void => this.#stop.abort(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      const counted = new CountedContent(content, Math.min(maxBytes, MAX_PARTS * PART_BYTES))
      await this.bucket.run(async (client, sdk) => await this.#upload(client, sdk, counted))
      this.#stop.signal.throwIfAborted()
      const stored = counted.total()
      await this.#requireWhole(stored)
      return stored
    } catch (error) {
      await this.#removeObject()
      throw this.#stop.signal.aborted ? this.#stop.signal.reason : error
    } finally {
      signal?.removeEventListener('abort', onAbort)
    }
  }

  async #upload(client: S3Client, sdk: Sdk, content: CountedContent): Promise<void> {
    const body = Readable.from(this.#slices(content), { highWaterMark: 1 })
    // The reader of the body gets the failure. Without a reader, the failure must not end the process.
    body.on('error', () => undefined)
    const upload = new sdk.Upload({
      client: this.#clientFor(client, sdk),
      params: { Bucket: this.bucket.name, Key: this.name, Body: body },
      partSize: PART_BYTES,
      queueSize: PARTS_AT_ONCE,
    })
    await upload.done()
  }

  /** A failure of the content also aborts the parts in progress. */
  async *#slices(content: CountedContent): AsyncGenerator<Uint8Array> {
    try {
      yield* content.slices(this.#stop.signal)
    } catch (error) {
      this.#stop.abort(error)
      throw error
    }
  }

  /**
   * Makes the client for the SDK's upload. The SDK's upload neither aborts requests in progress after a failure, nor
   * waits for their end when it is aborted itself. So this client aborts requests, and the upload ends by itself.
   */
  #clientFor(client: S3Client, sdk: Sdk): S3Client {
    const send: Send = async (command) => {
      const isRemoval = command instanceof sdk.AbortMultipartUploadCommand
      const isCreation = command instanceof sdk.CreateMultipartUploadCommand
      const isLast = command instanceof sdk.PutObjectCommand || command instanceof sdk.CompleteMultipartUploadCommand
      if (!isRemoval) this.#stop.signal.throwIfAborted()
      if (isLast) this.#mayExist = true
      const sendCommand = client.send.bind(client) as (command: object, options: object) => Promise<unknown>
      try {
        // The result of a request that creates an upload must be known, so that the upload can be removed.
        if (isRemoval || isCreation) return await sendCommand(command, {})
        if (isLast) return await this.#withGrace(async (abortSignal) => await sendCommand(command, { abortSignal }))
        return await sendCommand(command, { abortSignal: this.#stop.signal })
      } catch (error) {
        const translated = translateError(error)
        this.#stop.abort(translated)
        throw translated
      }
    }
    return { config: client.config, send } as unknown as S3Client
  }

  /**
   * Gives the last request time to finish, so that the object exists or not before it is removed. A later removal would
   * be too late.
   */
  async #withGrace<T>(request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const requestAbort = new AbortController()
    let timer: NodeJS.Timeout | undefined
    const startTimer = (): void => {
      timer = setTimeout(() => requestAbort.abort(this.#stop.signal.reason), GRACE_MS)
    }
    this.#stop.signal.addEventListener('abort', startTimer, { once: true })
    try {
      return await request(requestAbort.signal)
    } finally {
      clearTimeout(timer)
      this.#stop.signal.removeEventListener('abort', startTimer)
    }
  }

  async #requireWhole({ sizeBytes }: StoredFile): Promise<void> {
    const { ContentLength: kept } = await this.bucket.run((client, { HeadObjectCommand }) =>
      client.send(new HeadObjectCommand({ Bucket: this.bucket.name, Key: this.name })),
    )
    if (kept === sizeBytes) return
    throw new StorageError(`the bucket with the files has kept ${kept} of ${sizeBytes} bytes: upload the file again`, {
      isTransient: true,
    })
  }

  /**
   * Removes the object, which may exist although the answer was lost. If the removal fails, or the object appears
   * later, the sweep finds it. The first error is the one to report.
   */
  async #removeObject(): Promise<void> {
    if (!this.#mayExist) return
    const deleting = this.bucket.run((client, { DeleteObjectCommand }) =>
      client.send(new DeleteObjectCommand({ Bucket: this.bucket.name, Key: this.name })),
    )
    await deleting.catch(() => undefined)
  }
}

/** The number of bytes that are copied and hashed at once: a few milliseconds of work. */
const SLICE_BYTES = 1_048_576

/**
 * Counts and hashes bytes that pass once. The slices are copies, because a sender may reuse its memory for the next
 * bytes.
 */
export class CountedContent {
  readonly #hash = createHash('sha256')
  #sizeBytes = 0
  #bytesSincePause = 0

  constructor(
    private readonly content: AsyncIterable<Uint8Array>,
    private readonly maxBytes: number,
  ) {}

  /**
   * @throws QuotaExceededError once more than `maxBytes` bytes have arrived
   * @throws the signal's reason once it is aborted
   */
  async *slices(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    for await (const piece of itemsUntilAborted(this.content, signal)) {
      this.#sizeBytes += piece.byteLength
      if (this.#sizeBytes > this.maxBytes) {
        throw new QuotaExceededError(`the file has more than ${this.maxBytes} bytes`)
      }
      for (let at = 0; at < piece.byteLength; at += SLICE_BYTES) {
        const slice = Buffer.from(piece.subarray(at, at + SLICE_BYTES))
        this.#hash.update(slice)
        yield slice
        await this.#pause(slice.byteLength)
      }
    }
  }

  /** Returns the size and the hash of all bytes. Call it once, at the end. */
  total(): StoredFile {
    return { sizeBytes: this.#sizeBytes, sha256: this.#hash.digest('hex') }
  }

  /** A whole file may arrive in one piece, and nothing here waits for a disk. So this lets other work run. */
  async #pause(bytes: number): Promise<void> {
    this.#bytesSincePause += bytes
    if (this.#bytesSincePause < SLICE_BYTES) return
    this.#bytesSincePause = 0
    await setImmediate()
  }
}

/** A multipart upload that has started and not finished. */
interface UnfinishedUpload {
  readonly name: string
  readonly id: string
  /** In milliseconds since the epoch. */
  readonly startedAt: number
}

/** Lists unfinished uploads under a prefix, in the order of the server. */
export async function* listUnfinishedUploads(bucket: S3Bucket, prefix: string): AsyncGenerator<UnfinishedUpload> {
  let next: Pick<ListMultipartUploadsCommandOutput, 'NextKeyMarker' | 'NextUploadIdMarker'> = {}
  for (;;) {
    const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = next
    const page = await bucket.run((client, { ListMultipartUploadsCommand }) =>
      client.send(new ListMultipartUploadsCommand({ Bucket: bucket.name, Prefix: prefix, KeyMarker, UploadIdMarker })),
    )
    for (const upload of page.Uploads ?? []) yield toUnfinishedUpload(upload)
    if (page.IsTruncated !== true) return
    if (page.NextKeyMarker === undefined) throw notS3Error()
    next = page
  }
}

/**
 * True if the upload has started, or has received a part, after a time. @param since in milliseconds since the epoch
 */
export async function isWrittenSince(bucket: S3Bucket, upload: UnfinishedUpload, since: number): Promise<boolean> {
  if (upload.startedAt > since) return true
  let marker: string | undefined
  for (;;) {
    const page = await listParts(bucket, upload, marker)
    if (page === undefined) return false
    if (page.Parts?.some(({ LastModified: modifiedAt }) => (modifiedAt?.getTime() ?? 0) > since)) return true
    if (page.IsTruncated !== true) return false
    if (page.NextPartNumberMarker === undefined) throw notS3Error()
    marker = page.NextPartNumberMarker
  }
}

/** Removes the parts of an upload. An upload that has finished in the meantime is no error. */
export async function removeUpload(bucket: S3Bucket, { name, id }: UnfinishedUpload): Promise<void> {
  await bucket.run((client, { AbortMultipartUploadCommand }) =>
    client
      .send(new AbortMultipartUploadCommand({ Bucket: bucket.name, Key: name, UploadId: id }))
      .catch(ignoreIfFinished),
  )
}

async function listParts(
  bucket: S3Bucket,
  { name, id }: UnfinishedUpload,
  marker: string | undefined,
): Promise<ListPartsCommandOutput | undefined> {
  return await bucket.run((client, { ListPartsCommand }) =>
    client
      .send(new ListPartsCommand({ Bucket: bucket.name, Key: name, UploadId: id, PartNumberMarker: marker }))
      .catch(ignoreIfFinished),
  )
}

function ignoreIfFinished(error: unknown): undefined {
  if (isError(error) && error.name === 'NoSuchUpload') return undefined
  throw error
}

function toUnfinishedUpload({ Key: name, UploadId: id, Initiated: startedAt }: MultipartUpload): UnfinishedUpload {
  if (name === undefined || id === undefined || startedAt === undefined) throw notS3Error()
  return { name, id, startedAt: startedAt.getTime() }
}
