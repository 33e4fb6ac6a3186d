import type { Readable } from 'node:stream'
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3'
import {
  type FileStore,
  InvalidInputError,
  isFileKey,
  requireFileKey,
  StorageError,
  type StoredFile,
  UnsupportedError,
} from '../../src/ports/index.js'
import {
  fileMissingError,
  isConditionFailed,
  isObjectMissing,
  isUnsupportedOperation,
  noBucketError,
  notS3Error,
} from './errors.js'
import { CountedContent, isWrittenSince, listUnfinishedUploads, ObjectUpload, removeUpload } from './object-upload.js'
import { S3Bucket, type S3FileStoreOptions } from './s3-bucket.js'

/** The object beside the files that names the owner of the files. */
const OWNER_OBJECT = 'database-id'

/**
 * Files in a bucket: objects `<prefix><uuid>`. An object exists only after all its bytes are there. Needs
 * `@aws-sdk/client-s3` and `@aws-sdk/lib-storage`, which are loaded at the first call.
 *
 * The user of the bucket needs the rights `s3:ListBucket`, `s3:GetObject`, `s3:PutObject`, `s3:DeleteObject`,
 * `s3:AbortMultipartUpload`, `s3:ListBucketMultipartUploads` and `s3:ListMultipartUploadParts`.
 *
 * Each call is one or a few requests, which the SDK tries up to three times (`AWS_MAX_ATTEMPTS`). A request that still
 * fails causes a `StorageError`, or a `StorageFullError` if the server reports that. Without the packages it causes an
 * `UnsupportedError`.
 */
export class S3FileStore implements FileStore {
  readonly #bucket: S3Bucket
  readonly #prefix: string

  /** @throws InvalidInputError without the name of a bucket */
  constructor(options: S3FileStoreOptions) {
    if (typeof options.bucket !== 'string' || options.bucket === '') {
      throw new InvalidInputError('bucket', 'must be the name of a bucket')
    }
    this.#bucket = new S3Bucket(options)
    this.#prefix = options.prefix ?? ''
  }

  async write(
    key: string,
    content: AsyncIterable<Uint8Array>,
    options: { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<StoredFile> {
    return await new ObjectUpload(this.#bucket, this.#nameOf(key)).send(content, options)
  }

  async *read(key: string): AsyncGenerator<Uint8Array> {
    yield* readObject(this.#bucket, this.#nameOf(key), () => fileMissingError(key))
  }

  async sizeOf(key: string): Promise<number | undefined> {
    const object = { Bucket: this.#bucket.name, Key: this.#nameOf(key) }
    return await this.#bucket.run(async (client, { HeadBucketCommand, HeadObjectCommand }) => {
      try {
        return (await client.send(new HeadObjectCommand(object))).ContentLength
      } catch (error) {
        if (!isObjectMissing(error)) throw error
        // The answer for a missing bucket is the same. In that case no file may be reported as missing.
        await client.send(new HeadBucketCommand({ Bucket: object.Bucket })).catch((failure: unknown) => {
          throw isObjectMissing(failure) ? noBucketError() : failure
        })
        return undefined
      }
    })
  }

  async digest(key: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<StoredFile> {
    const content = new CountedContent(this.read(key), Number.POSITIVE_INFINITY)
    const slices = content.slices(signal ?? new AbortController().signal)
    while ((await slices.next()).done !== true);
    return content.total()
  }

  async delete(key: string): Promise<void> {
    const object = { Bucket: this.#bucket.name, Key: this.#nameOf(key) }
    await this.#bucket.run((client, { DeleteObjectCommand }) =>
      client.send(new DeleteObjectCommand(object)).catch((error: unknown) => {
        if (!isObjectMissing(error)) throw error
      }),
    )
  }

  async *list(): AsyncGenerator<string> {
    let token: string | undefined
    do {
      const page = await this.#bucket.run((client, { ListObjectsV2Command }) =>
        client.send(
          new ListObjectsV2Command({
            Bucket: this.#bucket.name,
            Prefix: this.#prefix,
            Delimiter: '/',
            ContinuationToken: token,
          }),
        ),
      )
      for (const { Key: name } of page.Contents ?? []) {
        const key = this.#keyOf(name)
        if (key !== undefined) yield key
      }
      token = page.NextContinuationToken
      // An incomplete list must not pass for a complete one.
      if (page.IsTruncated === true && token === undefined) throw notS3Error()
      if (page.IsTruncated !== true) return
    } while (token !== undefined)
  }

  /**
   * Compares the clock of this machine with times of the server. S3 requires that they differ by at most a quarter of
   * an hour.
   */
  async removeUnfinished({ olderThanMs = 0 }: { readonly olderThanMs?: number } = {}): Promise<void> {
    const since = Date.now() - olderThanMs
    for await (const upload of listUnfinishedUploads(this.#bucket, this.#prefix)) {
      if (this.#keyOf(upload.name) === undefined) continue
      if (olderThanMs > 0 && (await isWrittenSince(this.#bucket, upload, since))) continue
      await removeUpload(this.#bucket, upload)
    }
  }

  /**
   * Checks that the server has an operation that the engine needs only much later.
   * @throws UnsupportedError if the server lacks it
   */
  async requireOffered(): Promise<void> {
    const command = { Bucket: this.#bucket.name, Prefix: this.#prefix, MaxUploads: 1 }
    await this.#bucket.run(async (client, { ListMultipartUploadsCommand }) => {
      try {
        await client.send(new ListMultipartUploadsCommand(command))
      } catch (error) {
        if (!isUnsupportedOperation(error)) throw error
        throw new UnsupportedError(
          'the server of the bucket lacks ListMultipartUploads, which the engine needs to remove what killed processes leave: use another server',
        )
      }
    })
  }

  /** Reads the owner of the files that {@link claim} has recorded beside them; `undefined` if none is recorded. */
  async owner(): Promise<string | undefined> {
    const pieces: Uint8Array[] = []
    const noOwner = new Error('no owner')
    try {
      for await (const piece of readObject(this.#bucket, this.#prefix + OWNER_OBJECT, () => noOwner)) pieces.push(piece)
    } catch (error) {
      if (error === noOwner) return undefined
      throw error
    }
    return Buffer.concat(pieces).toString('utf8').trim()
  }

  /**
   * Records the owner of the files, unless one is recorded already. If two claims happen at once, the first one counts
   * if the server supports conditional writes; otherwise the later one.
   *
   * @returns the owner that is recorded now
   */
  async claim(owner: string): Promise<string> {
    const existing = await this.owner()
    if (existing !== undefined) return existing
    const object = { Bucket: this.#bucket.name, Key: this.#prefix + OWNER_OBJECT, Body: owner }
    await this.#bucket.run(async (client, { PutObjectCommand }) => {
      try {
        await client.send(new PutObjectCommand({ ...object, IfNoneMatch: '*' }))
      } catch (error) {
        if (isConditionFailed(error)) return
        if (!isUnsupportedOperation(error)) throw error
        await client.send(new PutObjectCommand(object))
      }
    })
    const recorded = await this.owner()
    if (recorded === undefined) throw notS3Error()
    return recorded
  }

  #nameOf(key: string): string {
    requireFileKey(key)
    return this.#prefix + key
  }

  /** Returns the key of an object; `undefined` for objects beside the files, or deeper, which are not files. */
  #keyOf(name: string | undefined): string | undefined {
    if (name?.startsWith(this.#prefix) !== true) return undefined
    const key = name.slice(this.#prefix.length)
    return isFileKey(key) ? key : undefined
  }
}

function isNodeStream(body: object | undefined): body is Readable {
  return body !== undefined && 'destroy' in body && Symbol.asyncIterator in body
}

/** The number of connections that may break in a row, without a byte, before the read fails. */
const MAX_FAILURES = 3

/**
 * Reads the bytes of an object. A slow reader outlives connections. So if a connection breaks, the next one continues
 * behind the last byte that arrived. The read ends only after all bytes have arrived.
 *
 * @param missingError makes the error for a missing object
 */
async function* readObject(bucket: S3Bucket, name: string, missingError: () => Error): AsyncGenerator<Uint8Array> {
  let first: GetObjectCommandOutput | undefined
  let offset = 0
  for (let failures = 0; ; failures += 1) {
    const response = await getObject(
      bucket,
      name,
      offset === 0 ? {} : { Range: `bytes=${offset}-`, IfMatch: first?.ETag },
    )
    if (response === undefined) throw missingError()
    const { Body: body, ContentLength: length } = response
    first ??= response
    if (!isNodeStream(body)) throw notS3Error()
    let failure: unknown
    try {
      const { ContentLength: total } = first
      if (total === undefined || length !== total - offset || !startsAt(offset, response)) throw notS3Error()
      for await (const piece of body as AsyncIterable<Uint8Array>) {
        offset += piece.byteLength
        failures = 0
        yield piece
      }
      if (offset > total) throw notS3Error()
    } catch (error) {
      if (error instanceof StorageError) throw error
      failure = error
    } finally {
      body.destroy()
    }
    if (offset === first.ContentLength) return
    if (failures === MAX_FAILURES - 1) {
      throw new StorageError('the bucket with the files failed: connections end before the file does', {
        cause: failure,
        isTransient: true,
      })
    }
  }
}

async function getObject(
  bucket: S3Bucket,
  name: string,
  part: { readonly Range?: string; readonly IfMatch?: string | undefined },
): Promise<GetObjectCommandOutput | undefined> {
  return await bucket.run((client, { GetObjectCommand }) =>
    client.send(new GetObjectCommand({ Bucket: bucket.name, Key: name, ...part })).catch((error: unknown) => {
      if (isObjectMissing(error)) return undefined
      throw error
    }),
  )
}

/** True if the response starts at the offset. A server without range requests would start at the first byte. */
function startsAt(offset: number, { ContentRange: range }: GetObjectCommandOutput): boolean {
  return offset === 0 || range?.startsWith(`bytes ${offset}-`) === true
}
