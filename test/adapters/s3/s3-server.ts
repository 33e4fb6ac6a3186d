import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'
import { S3Client } from '@aws-sdk/client-s3'
import type { S3FileStoreOptions } from '../../../adapters/s3/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { listByDelimiter } from './list-by-delimiter.js'
import { listByMarkers } from './list-by-markers.js'
import { answerMultipart, type KeptUpload, keptUploads } from './multipart-operations.js'

/** The one user that s3rver knows. */
const CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
const BUCKET = 'alcove-test'
const OBJECT = '._S3rver_object'

/** Answers a request instead of the server. @returns true if it does */
export type Interception = (request: IncomingMessage, response: ServerResponse) => boolean

/** A server that speaks S3, in this process, with one bucket. */
export interface S3Server {
  readonly bucket: string
  /** Address of the server, and the credentials of its user. */
  readonly options: Required<Pick<S3FileStoreOptions, 'bucket' | 'endpoint' | 'region' | 'credentials'>>
  /** The same options as environment variables. */
  readonly environment: Readonly<Record<string, string>>
  /** A client that bypasses the adapter. */
  readonly client: S3Client
  /** `GET /bucket/key?query` of every request since a test last emptied the list. */
  readonly requests: string[]
  intercept: Interception
  objects(): Promise<string[]>
  unfinished(): Promise<KeptUpload[]>
  /** Folder of an upload, so that a test can make it older. */
  folderOf(upload: KeptUpload): string
  readonly dispose: () => Promise<void>
}

export interface S3ServerOptions {
  /** Maximum number of objects in one page of a list. Default 1,000. */
  readonly pageSize?: number
  /** True to check signatures. Default `true`. */
  readonly isStrict?: boolean
}

/**
 * Starts s3rver, which stores objects in a folder and checks signatures (version 4) of requests for them. Operations that
 * it lacks are handled in front of it ({@link answerMultipart}, {@link listByMarkers}, {@link listByDelimiter}).
 */
export async function startS3Server({ pageSize = 1_000, isStrict = true }: S3ServerOptions = {}): Promise<S3Server> {
  const folder = await temporaryFolder()
  const directory = folder.path
  const [strict, lenient] = [false, true].map((allowMismatchedSignatures) => {
    const configureBuckets = [{ name: BUCKET }]
    return new S3rver({ directory, silent: true, vhostBuckets: false, allowMismatchedSignatures, configureBuckets })
  }) as [S3rver, S3rver]
  await strict.configureBuckets()
  const listeners = { strict: strict.callback(), lenient: lenient.callback() }
  const server = createServer((request, response) => {
    started.requests.push(`${request.method} ${request.url}`)
    if (started.intercept(request, response)) return
    void answerMultipart(request, response, { directory, pageSize }).then(async (isAnswered) => {
      if (isAnswered) return
      await listByDelimiter(request, response, async () => await started.objects())
      listByMarkers(request, response)
      const { pathname } = new URL(request.url ?? '/', 'http://localhost')
      // The SDK requests a bucket by a path that ends in a slash. s3rver expects another signature for it than AWS.
      listeners[isStrict && !pathname.endsWith('/') ? 'strict' : 'lenient'](request, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const options = { bucket: BUCKET, endpoint, region: 'us-east-1', credentials: CREDENTIALS }
  const client = new S3Client({ ...options, forcePathStyle: true })
  const started: S3Server = {
    bucket: BUCKET,
    options,
    environment: {
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_REGION: options.region,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    },
    client,
    requests: [],
    intercept: () => false,
    objects: async () => {
      const names = await readdir(join(directory, BUCKET), { recursive: true })
      return names.filter((name) => name.endsWith(OBJECT)).map((name) => name.slice(0, -OBJECT.length))
    },
    unfinished: async () => await keptUploads(directory, BUCKET),
    folderOf: ({ id }) => join(directory, BUCKET, '._S3rver_uploads', id),
    dispose: async () => {
      client.destroy()
      server.closeAllConnections()
      server.close()
      await folder.remove()
    },
  }
  return started
}
