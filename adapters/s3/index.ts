/** FileStore in a bucket of S3, or of a server that speaks its protocol. */
export type { S3Credentials, S3FileStoreOptions } from './s3-bucket.js'
export { S3FileStore } from './s3-file-store.js'
