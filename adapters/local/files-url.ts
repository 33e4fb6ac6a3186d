import { InvalidInputError } from '../../src/ports/index.js'

/** A bucket and a prefix in it. */
export interface BucketLocation {
  readonly bucket: string
  /** Empty, or ends with a slash. */
  readonly prefix: string
  /** The normalized URL, for comparisons: `s3://bucket/prefix/`. */
  readonly url: string
}

/** The rules for bucket names, and for prefixes that every server accepts. */
const BUCKET_URL = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9!_*'()-][A-Za-z0-9!_.*'()-]*)*)\/?$/
/** S3 allows names of 1,024 bytes, which include the name of the file. */
const MAX_CHARACTERS = 900

/** @throws InvalidInputError for a value that is no bucket URL */
export function parseFilesUrl(url: unknown): BucketLocation {
  const isText = typeof url === 'string' && url.length <= MAX_CHARACTERS
  const [, bucket, path = ''] = (isText ? BUCKET_URL.exec(url) : null) ?? []
  if (bucket === undefined) {
    throw new InvalidInputError(
      'filesUrl',
      'must be a bucket, such as s3://bucket or s3://bucket/prefix; set its server, region and credentials in AWS_ENDPOINT_URL_S3, AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    )
  }
  const prefix = path === '' ? '' : `${path.slice(1)}/`
  return { bucket, prefix, url: `s3://${bucket}/${prefix}` }
}
