import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { InvalidInputError, UnsupportedError } from '../../src/ports/index.js'
import { isCode } from '../node-kit/index.js'
import { translateError } from './errors.js'

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

/** The parts of the two packages that the adapter uses. A host installs the packages if it keeps files in a bucket. */
export type Sdk = typeof import('@aws-sdk/client-s3') & Pick<typeof import('@aws-sdk/lib-storage'), 'Upload'>

/**
 * The time without a response after which a request is aborted. With the SDK's retries, the caller gets an error after
 * a minute.
 */
const TIMEOUT_MS = 20_000
const CONNECT_TIMEOUT_MS = 10_000
/**
 * The time until the answer, as a multiple of the timeout. It includes sending the request: a part on a slow line takes
 * minutes.
 */
const ANSWER_TIMEOUTS = 15

/** A request that uses the SDK. */
type BucketRequest<T> = (client: S3Client, sdk: Sdk) => Promise<T>

/** A bucket, and its client, which is created at the first request. */
export class S3Bucket {
  readonly name: string
  readonly #options: S3FileStoreOptions
  #opened: Promise<{ readonly client: S3Client; readonly sdk: Sdk }> | undefined

  constructor(options: S3FileStoreOptions) {
    this.name = options.bucket
    this.#options = options
  }

  /**
   * Runs a request, and translates failures of the server and of the connection into errors of the core.
   * @throws UnsupportedError if the SDK is not installed
   * @throws InvalidInputError for an endpoint that is not a URL
   */
  async run<T>(request: BucketRequest<T>): Promise<T> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
    const { client, sdk } = await this.#opened
    try {
      return await request(client, sdk)
    } catch (error) {
      throw translateError(error)
    }
  }

  async #open(): Promise<{ readonly client: S3Client; readonly sdk: Sdk }> {
    const sdk = await loadSdk()
    return { sdk, client: this.#options.client ?? new sdk.S3Client(clientConfig(this.#options)) }
  }
}

/** Loads the packages. @throws UnsupportedError if they are not installed */
async function loadSdk(): Promise<Sdk> {
  try {
    const [client, { Upload }] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')])
    return { ...client, Upload }
  } catch (error) {
    if (!isCode(error, 'ERR_MODULE_NOT_FOUND')) throw error
    throw new UnsupportedError('install @aws-sdk/client-s3 and @aws-sdk/lib-storage to keep files in an S3 bucket', {
      cause: error,
    })
  }
}

function clientConfig(options: S3FileStoreOptions): S3ClientConfig {
  const { endpoint, region, credentials, timeoutMs = TIMEOUT_MS } = options
  // The SDK uses the first one that is set.
  const endpoints = { endpoint, ...fromEnvironment('AWS_ENDPOINT_URL_S3'), ...fromEnvironment('AWS_ENDPOINT_URL') }
  const [endpointInUse] = Object.entries(endpoints).filter(([, url]) => url !== undefined)
  if (endpointInUse !== undefined) requireHttpUrl(...endpointInUse)
  const hasEndpoint = endpointInUse !== undefined
  return {
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(credentials !== undefined && { credentials }),
    forcePathStyle: options.forcePathStyle ?? hasEndpoint,
    // Other servers than AWS may refuse checksums behind a body. The signature covers the SHA-256 of the content.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Without this, the client waits for servers that do not know the header, and opens a connection for each body.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
      socketTimeout: timeoutMs,
      requestTimeout: ANSWER_TIMEOUTS * timeoutMs,
      throwOnRequestTimeout: true,
    },
  }
}

function fromEnvironment(name: string): Readonly<Record<string, string>> {
  const value = process.env[name]
  return value === undefined || value === '' ? {} : { [name]: value }
}

/** The SDK would take `localhost` in `localhost:9000` for a URL scheme. */
function requireHttpUrl(name: string, url: string | undefined): void {
  if (url !== undefined && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return
  throw new InvalidInputError(name, 'must be a URL with http:// or https://, such as http://localhost:9000')
}
