import type { ListMultipartUploadsCommandOutput, ListPartsCommandOutput, MultipartUpload } from '@aws-sdk/client-s3'
import { notAnS3 } from './errors.js'
import type { S3Bucket } from './s3-bucket.js'

/** An upload that was begun, and not ended. */
export interface UnfinishedUpload {
  readonly name: string
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly begun: number
}

/** Uploads under a prefix that have not ended, in the order of the server. */
export async function* unfinishedUploads(bucket: S3Bucket, prefix: string): AsyncGenerator<UnfinishedUpload> {
  let next: Pick<ListMultipartUploadsCommandOutput, 'NextKeyMarker' | 'NextUploadIdMarker'> = {}
  for (;;) {
    const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = next
    const page = await bucket.ask((client, { ListMultipartUploadsCommand }) =>
      client.send(new ListMultipartUploadsCommand({ Bucket: bucket.name, Prefix: prefix, KeyMarker, UploadIdMarker })),
    )
    for (const upload of page.Uploads ?? []) yield described(upload)
    if (page.IsTruncated !== true) return
    if (page.NextKeyMarker === undefined) throw notAnS3()
    next = page
  }
}

/** Whether a part of it was written since, or it was begun. @param since milliseconds since the epoch */
export async function isWrittenSince(bucket: S3Bucket, upload: UnfinishedUpload, since: number): Promise<boolean> {
  if (upload.begun > since) return true
  let marker: string | undefined
  for (;;) {
    const page = await listParts(bucket, upload, marker)
    if (page === undefined) return false
    if (page.Parts?.some(({ LastModified: written }) => (written?.getTime() ?? 0) > since)) return true
    if (page.IsTruncated !== true) return false
    if (page.NextPartNumberMarker === undefined) throw notAnS3()
    marker = page.NextPartNumberMarker
  }
}

/** Removes its parts. One that has ended meanwhile is no error. */
export async function removeUpload(bucket: S3Bucket, { name, id }: UnfinishedUpload): Promise<void> {
  await bucket.ask((client, { AbortMultipartUploadCommand }) =>
    client.send(new AbortMultipartUploadCommand({ Bucket: bucket.name, Key: name, UploadId: id })).catch(unlessEnded),
  )
}

async function listParts(
  bucket: S3Bucket,
  { name, id }: UnfinishedUpload,
  marker: string | undefined,
): Promise<ListPartsCommandOutput | undefined> {
  return await bucket.ask((client, { ListPartsCommand }) =>
    client
      .send(new ListPartsCommand({ Bucket: bucket.name, Key: name, UploadId: id, PartNumberMarker: marker }))
      .catch(unlessEnded),
  )
}

function unlessEnded(error: unknown): undefined {
  if (error instanceof Error && error.name === 'NoSuchUpload') return undefined
  throw error
}

function described({ Key: name, UploadId: id, Initiated: begun }: MultipartUpload): UnfinishedUpload {
  if (name === undefined || id === undefined || begun === undefined) throw notAnS3()
  return { name, id, begun: begun.getTime() }
}
