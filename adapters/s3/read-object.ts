import { Readable } from 'node:stream'
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3'
import { StorageError } from '../../src/ports/index.js'
import { isObjectMissing, notS3Error } from './errors.js'
import type { S3Bucket } from './s3-bucket.js'

/** The number of connections that may break in a row, without a byte, before the read fails. */
const MAX_FAILURES = 3

/**
 * Reads the bytes of an object. A slow reader outlives connections. So if a connection breaks, the next one continues
 * behind the last byte that arrived. The read ends only after all bytes have arrived.
 *
 * @param missingError makes the error for a missing object
 */
export async function* readObject(
  bucket: S3Bucket,
  name: string,
  missingError: () => Error,
): AsyncGenerator<Uint8Array> {
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
    if (!(body instanceof Readable)) throw notS3Error()
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
