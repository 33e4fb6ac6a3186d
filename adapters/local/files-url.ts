import { InvalidInputError } from '../../src/ports/index.js'

/** A place in a bucket. */
export interface BucketPlace {
  readonly bucket: string
  /** Empty, or ends in a slash. */
  readonly prefix: string
  /** The same place has the same URL: `s3://bucket/prefix/`. */
  readonly url: string
}

/** By the rules for names of buckets, and of prefixes as every server takes them. */
const PLACE = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9!_*'()-][A-Za-z0-9!_.*'()-]*)*)\/?$/
/** S3 takes names of 1,024 bytes, with that of the file. */
const MAX_CHARACTERS = 900

/** @throws InvalidInputError for what is no bucket, with or without a prefix */
export function parseFilesUrl(url: unknown): BucketPlace {
  const isText = typeof url === 'string' && url.length <= MAX_CHARACTERS
  const [, bucket, path = ''] = (isText ? PLACE.exec(url) : null) ?? []
  if (bucket === undefined) {
    throw new InvalidInputError(
      'filesUrl',
      'must be a bucket, such as s3://bucket or s3://bucket/prefix; its server, region and credentials are in AWS_ENDPOINT_URL_S3, AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    )
  }
  const prefix = path === '' ? '' : `${path.slice(1)}/`
  return { bucket, prefix, url: `s3://${bucket}/${prefix}` }
}
