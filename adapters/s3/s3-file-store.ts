import {
  type FileStore,
  InvalidInputError,
  isFileKey,
  requireFileKey,
  type StoredFile,
  UnsupportedError,
} from '../../src/ports/index.js'
import { CountedContent } from './counted-content.js'
import { fileMissing, isConditionFailed, isMissing, isNotOffered, noBucket, notAnS3 } from './errors.js'
import { ObjectUpload } from './object-upload.js'
import { readObject } from './read-object.js'
import { S3Bucket } from './s3-bucket.js'
import type { S3FileStoreOptions } from './s3-file-store-options.js'
import { isWrittenSince, removeUpload, unfinishedUploads } from './unfinished-uploads.js'

/** Beside the files: says whose they are. */
const OWNER_OBJECT = 'database-id'

/**
 * Files in a bucket: objects `<prefix><uuid>`, which are there once they are whole. Needs `@aws-sdk/client-s3` and
 * `@aws-sdk/lib-storage`, which are loaded at the first call.
 *
 * The user of the bucket needs the rights `s3:ListBucket`, `s3:GetObject`, `s3:PutObject`, `s3:DeleteObject`,
 * `s3:AbortMultipartUpload`, `s3:ListBucketMultipartUploads` and `s3:ListMultipartUploadParts`.
 *
 * Each call is one or a few requests, which the SDK tries up to three times (`AWS_MAX_ATTEMPTS`). What fails then is a
 * `StorageError`, or a `StorageFullError` where the server says so; without the packages it is an `UnsupportedError`.
 */
export class S3FileStore implements FileStore {
  readonly #bucket: S3Bucket
  readonly #prefix: string

  /** @throws InvalidInputError where no bucket is named */
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
    yield* readObject(this.#bucket, this.#nameOf(key), () => fileMissing(key))
  }

  async sizeOf(key: string): Promise<number | undefined> {
    const object = { Bucket: this.#bucket.name, Key: this.#nameOf(key) }
    return await this.#bucket.ask(async (client, { HeadBucketCommand, HeadObjectCommand }) => {
      try {
        return (await client.send(new HeadObjectCommand(object))).ContentLength
      } catch (error) {
        if (!isMissing(error)) throw error
        // The answer is the same where there is no bucket, and then no file is known to be missing.
        await client.send(new HeadBucketCommand({ Bucket: object.Bucket })).catch((failure: unknown) => {
          throw isMissing(failure) ? noBucket() : failure
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
    await this.#bucket.ask((client, { DeleteObjectCommand }) =>
      client.send(new DeleteObjectCommand(object)).catch((error: unknown) => {
        if (!isMissing(error)) throw error
      }),
    )
  }

  async *list(): AsyncGenerator<string> {
    let token: string | undefined
    do {
      const page = await this.#bucket.ask((client, { ListObjectsV2Command }) =>
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
      // A list that is cut off must not look like a whole one.
      if (page.IsTruncated === true && token === undefined) throw notAnS3()
      if (page.IsTruncated !== true) return
    } while (token !== undefined)
  }

  /** By the clocks of this machine and of the server, which S3 wants to agree to a quarter of an hour. */
  async removeUnfinished({ olderThanMs = 0 }: { readonly olderThanMs?: number } = {}): Promise<void> {
    const since = Date.now() - olderThanMs
    for await (const upload of unfinishedUploads(this.#bucket, this.#prefix)) {
      if (this.#keyOf(upload.name) === undefined) continue
      if (olderThanMs > 0 && (await isWrittenSince(this.#bucket, upload, since))) continue
      await removeUpload(this.#bucket, upload)
    }
  }

  /**
   * Makes sure that the server can do what is not needed before much later.
   * @throws UnsupportedError where it cannot
   */
  async requireOffered(): Promise<void> {
    const place = { Bucket: this.#bucket.name, Prefix: this.#prefix, MaxUploads: 1 }
    await this.#bucket.ask(async (client, { ListMultipartUploadsCommand }) => {
      try {
        await client.send(new ListMultipartUploadsCommand(place))
      } catch (error) {
        if (!isNotOffered(error)) throw error
        throw new UnsupportedError(
          'the server of the bucket has no ListMultipartUploads, which clears away what killed processes leave: use another server',
        )
      }
    })
  }

  /** Whose the files are, as {@link claim} has noted it beside them; `undefined` where nobody has. */
  async owner(): Promise<string | undefined> {
    const pieces: Uint8Array[] = []
    const none = new Error('no owner')
    try {
      for await (const piece of readObject(this.#bucket, this.#prefix + OWNER_OBJECT, () => none)) pieces.push(piece)
    } catch (error) {
      if (error === none) return undefined
      throw error
    }
    return Buffer.concat(pieces).toString('utf8').trim()
  }

  /**
   * Notes whose the files are, unless that is noted already. Of two that try at the same time one does it, where the
   * server knows conditional writes; elsewhere the later one.
   *
   * @returns what is noted now
   */
  async claim(owner: string): Promise<string> {
    const before = await this.owner()
    if (before !== undefined) return before
    const object = { Bucket: this.#bucket.name, Key: this.#prefix + OWNER_OBJECT, Body: owner }
    await this.#bucket.ask(async (client, { PutObjectCommand }) => {
      try {
        await client.send(new PutObjectCommand({ ...object, IfNoneMatch: '*' }))
      } catch (error) {
        if (isConditionFailed(error)) return
        if (!isNotOffered(error)) throw error
        await client.send(new PutObjectCommand(object))
      }
    })
    const after = await this.owner()
    if (after === undefined) throw notAnS3()
    return after
  }

  #nameOf(key: string): string {
    requireFileKey(key)
    return this.#prefix + key
  }

  /** What lies beside the files, or deeper, is none of them. */
  #keyOf(name: string | undefined): string | undefined {
    if (name?.startsWith(this.#prefix) !== true) return undefined
    const key = name.slice(this.#prefix.length)
    return isFileKey(key) ? key : undefined
  }
}
