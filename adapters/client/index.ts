/** A client of the REST API, for Node and browsers. It imports nothing of the engine. */
export type { ClientAccess, ClientCredentials, TargetApp } from './access.js'
export { type AlcoveClient, type AlcoveClientOptions, createAlcoveClient } from './alcove-client.js'
export { AlcoveApiError, DocumentProcessingError, dataOf, type Problem } from './api-error.js'
export type { DocumentState, WatchOptions } from './document-stream.js'
export type { components, operations, paths } from './generated/api.js'
export type { RetryOptions } from './retrying-fetch.js'
export type { FileContent, FileToUpload, UploadOptions, UploadProgress } from './upload.js'
export type { DocumentWithReceipt, WaitOptions } from './wait-for-document.js'
