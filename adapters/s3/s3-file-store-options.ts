import type { S3Client } from '@aws-sdk/client-s3'

/** Where the files are, and how they are reached. What is left out is told by the environment, as the SDK reads it. */
export interface S3FileStoreOptions {
  /** Name of the bucket, which must be there. */
  readonly bucket: string
  /** Put before the UUID of each file, as it stands, such as `alcove/`. Default: nothing. */
  readonly prefix?: string
  /** URL of the server. Default: `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, or AWS. */
  readonly endpoint?: string
  /** Default: `AWS_REGION`, or that of the profile. Servers without regions take any name. */
  readonly region?: string
  /** Default: the SDK's chain: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, profiles, roles. */
  readonly credentials?: S3Credentials
  /**
   * Whether the bucket is named in the path rather than in the name of the host. Default true where an endpoint is
   * given, here or by the environment: most servers other than AWS have no names for buckets.
   */
  readonly forcePathStyle?: boolean
  /** How long a server may be silent, in milliseconds, before a request is given up; default 20,000. */
  readonly timeoutMs?: number
  /** A client of the host's own, in place of what the other options say of server, region and credentials. */
  readonly client?: S3Client
}

/** Of a user of the bucket, who needs the rights that {@link S3FileStore} names. */
export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}
