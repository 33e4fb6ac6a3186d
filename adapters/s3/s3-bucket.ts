import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { InvalidInputError } from '../../src/ports/index.js'
import { translateError } from './errors.js'
import { loadSdk, type Sdk } from './load-sdk.js'
import type { S3FileStoreOptions } from './s3-file-store-options.js'

/** Of silence; with the tries of the SDK whoever waits is told after a minute. */
const TIMEOUT_MS = 20_000
const CONNECT_TIMEOUT_MS = 10_000
/** Until a server answers, with all that is sent to it before: a part on a slow line takes minutes. */
const ANSWER_TIMEOUTS = 15

/** A request of the SDK. */
export type BucketRequest<T> = (client: S3Client, sdk: Sdk) => Promise<T>

/** A bucket, and a client for it that is made at the first request. */
export class S3Bucket {
  readonly name: string
  readonly #options: S3FileStoreOptions
  #opened: Promise<{ readonly client: S3Client; readonly sdk: Sdk }> | undefined

  constructor(options: S3FileStoreOptions) {
    this.name = options.bucket
    this.#options = options
  }

  /**
   * Asks the server; its failures, and those on the way to it, are told as the core's errors.
   * @throws UnsupportedError where the SDK is not installed
   * @throws InvalidInputError for an endpoint that is no URL
   */
  async ask<T>(request: BucketRequest<T>): Promise<T> {
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

function clientConfig(options: S3FileStoreOptions): S3ClientConfig {
  const { endpoint, region, credentials, timeoutMs = TIMEOUT_MS } = options
  // The first of them is what the SDK takes.
  const endpoints = { endpoint, ...ofEnvironment('AWS_ENDPOINT_URL_S3'), ...ofEnvironment('AWS_ENDPOINT_URL') }
  const [used] = Object.entries(endpoints).filter(([, url]) => url !== undefined)
  if (used !== undefined) requireHttpUrl(...used)
  const isElsewhere = used !== undefined
  return {
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(credentials !== undefined && { credentials }),
    forcePathStyle: options.forcePathStyle ?? isElsewhere,
    // Servers other than AWS may refuse checksums that come behind a body. What is sent is signed with its SHA-256.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // A server that does not know it would be waited for, and each body would have a connection of its own.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
      socketTimeout: timeoutMs,
      requestTimeout: ANSWER_TIMEOUTS * timeoutMs,
      throwOnRequestTimeout: true,
    },
  }
}

function ofEnvironment(name: string): Readonly<Record<string, string>> {
  const value = process.env[name]
  return value === undefined || value === '' ? {} : { [name]: value }
}

/** The SDK would take `localhost:9000` for a host called by its scheme. */
function requireHttpUrl(name: string, url: string | undefined): void {
  if (url !== undefined && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return
  throw new InvalidInputError(name, 'must be a URL with http:// or https://, such as http://localhost:9000')
}
