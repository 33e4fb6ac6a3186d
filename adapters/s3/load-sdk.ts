import { UnsupportedError } from '../../src/ports/index.js'
import { isCode } from '../node-kit/index.js'

/** The parts of the two packages that the adapter uses. A host installs the packages if it keeps files in a bucket. */
export type Sdk = typeof import('@aws-sdk/client-s3') & Pick<typeof import('@aws-sdk/lib-storage'), 'Upload'>

/** Loads the packages. @throws UnsupportedError if they are not installed */
export async function loadSdk(): Promise<Sdk> {
  try {
    const [client, { Upload }] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')])
    return { ...client, Upload }
  } catch (error) {
    if (!isNotInstalled(error)) throw error
    throw new UnsupportedError('install @aws-sdk/client-s3 and @aws-sdk/lib-storage to keep files in an S3 bucket', {
      cause: error,
    })
  }
}

function isNotInstalled(error: unknown): boolean {
  return isCode(error, 'ERR_MODULE_NOT_FOUND')
}
