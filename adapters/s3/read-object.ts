import { Readable } from 'node:stream'
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3'
import { StorageError } from '../../src/ports/index.js'
import { isMissing, notAnS3 } from './errors.js'
import type { S3Bucket } from './s3-bucket.js'

/** Connections that break one after the other, without a byte, before that is told. */
const FAILURES = 3

/**
 * The bytes of an object. Whoever reads slowly outlives connections; so it goes on behind the last byte that came
 * when one breaks. It ends when all bytes have come, and only then.
 *
 * @param missing called where there is no such object
 */
export async function* readObject(bucket: S3Bucket, name: string, missing: () => Error): AsyncGenerator<Uint8Array> {
  let first: GetObjectCommandOutput | undefined
  let at = 0
  for (let failures = 0; ; failures += 1) {
    const response = await get(bucket, name, at === 0 ? {} : { Range: `bytes=${at}-`, IfMatch: first?.ETag })
    if (response === undefined) throw missing()
    const { Body: body, ContentLength: length } = response
    first ??= response
    if (!(body instanceof Readable)) throw notAnS3()
    let broken: unknown
    try {
      const { ContentLength: total } = first
      if (total === undefined || length !== total - at || !isFrom(at, response)) throw notAnS3()
      for await (const piece of body as AsyncIterable<Uint8Array>) {
        at += piece.byteLength
        failures = 0
        yield piece
      }
      if (at > total) throw notAnS3()
    } catch (error) {
      if (error instanceof StorageError) throw error
      broken = error
    } finally {
      body.destroy()
    }
    if (at === first.ContentLength) return
    if (failures === FAILURES - 1) {
      throw new StorageError('the bucket with the files failed: connections end before the file does', {
        cause: broken,
        isTransient: true,
      })
    }
  }
}

async function get(
  bucket: S3Bucket,
  name: string,
  part: { readonly Range?: string; readonly IfMatch?: string | undefined },
): Promise<GetObjectCommandOutput | undefined> {
  return await bucket.ask((client, { GetObjectCommand }) =>
    client.send(new GetObjectCommand({ Bucket: bucket.name, Key: name, ...part })).catch((error: unknown) => {
      if (isMissing(error)) return undefined
      throw error
    }),
  )
}

/** A server that does not know ranges would begin anew. */
function isFrom(at: number, { ContentRange: range }: GetObjectCommandOutput): boolean {
  return at === 0 || range?.startsWith(`bytes ${at}-`) === true
}
