/** The part of the package that tests use. The package has no types. */
declare module '@20minutes/s3rver' {
  import type { RequestListener } from 'node:http'

  export interface S3rverOptions {
    readonly directory: string
    readonly silent: boolean
    readonly allowMismatchedSignatures: boolean
    readonly vhostBuckets: boolean
    readonly configureBuckets: readonly { readonly name: string }[]
  }

  export default class S3rver {
    constructor(options: S3rverOptions)
    configureBuckets(): Promise<unknown>
    callback(): RequestListener
  }
}
