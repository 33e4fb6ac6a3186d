import type { ListMultipartUploadsCommandOutput, ListPartsCommandOutput, MultipartUpload } from '@aws-sdk/client-s3'
import { notS3Error } from './errors.js'
import type { S3Bucket } from './s3-bucket.js'

/** A multipart upload that has started and not finished. */
export interface UnfinishedUpload {
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
  if (error instanceof Error && error.name === 'NoSuchUpload') return undefined
  throw error
}

function toUnfinishedUpload({ Key: name, UploadId: id, Initiated: startedAt }: MultipartUpload): UnfinishedUpload {
  if (name === undefined || id === undefined || startedAt === undefined) throw notS3Error()
  return { name, id, startedAt: startedAt.getTime() }
}
