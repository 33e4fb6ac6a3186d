import type { S3Client } from '@aws-sdk/client-s3'

/**
 * The location of the files, and the access to it. Options that are missing come from the environment, as the SDK reads
 * it.
 */
export interface S3FileStoreOptions {
  /** The name of an existing bucket. */
  readonly bucket: string
  /** The prefix of each file's UUID, used literally, such as `alcove/`. Default: none. */
  readonly prefix?: string
  /** The URL of the server. Default: `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, or AWS. */
  readonly endpoint?: string
  /** The region. Default: `AWS_REGION`, or the region of the profile. Servers without regions accept any name. */
  readonly region?: string
  /**
   * The credentials. Default: the SDK's chain of `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, profiles and roles.
   */
  readonly credentials?: S3Credentials
  /**
   * True to put the bucket's name in the path instead of the host name. Default: true if an endpoint is set, here or in
   * the environment. Most servers other than AWS have no host names for buckets.
   */
  readonly forcePathStyle?: boolean
  /** The time without a response after which a request is aborted, in milliseconds. Default: 20,000. */
  readonly timeoutMs?: number
  /** A client of the host, which replaces the options for server, region and credentials. */
  readonly client?: S3Client
}

/** The credentials of a user of the bucket, who needs the rights that {@link S3FileStore} names. */
export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}
