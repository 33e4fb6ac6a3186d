/**
 * The suites that check an adapter against its port, for any test runner with `describe` and `it`.
 * An adapter of your own must pass them too:
 *
 * ```ts
 * import { describe, it } from 'vitest'
 * import { vectorIndexSuite } from 'alcove/conformance'
 *
 * vectorIndexSuite({ describe, it }, 'MyVectorIndex', async () => {
 *   const port = new MyVectorIndex()
 *   return { port, dispose: () => port.close() }
 * })
 * ```
 */
export { embeddingModelSuite } from './embedding-model-suite.js'
export { fileStoreSuite } from './file-store-suite.js'
export type { CreateSubject, Subject, TestRunner } from './harness.js'
export { type HttpTransportUnderTest, httpTransportSuite, type ReceivedPost } from './http-transport-suite.js'
export { lexicalIndexSuite } from './lexical-index-suite.js'
export { clockSuite, starterPromptWriterSuite, telemetrySuite } from './observer-suites.js'
export { processLocksSuite, type SharedLocks } from './process-locks-suite.js'
export {
  type PortOnDisk,
  readOnlyFilesSuite,
  readOnlyStorageSuite,
  readOnlyVectorsSuite,
  readOnlyWordsSuite,
} from './read-only-disk-suites.js'
export { rerankerSuite } from './reranker-suite.js'
export {
  commonPasswordsSuite,
  type MailerUnderTest,
  mailerSuite,
  oneTimePasswordsSuite,
  passwordHasherSuite,
  tokenSignerSuite,
} from './security-suites.js'
export { type HostTransaction, type StorageSubject, storageSuite } from './storage-suite.js'
export { textExtractorSuite } from './text-extractor-suite.js'
export { textRecognizerSuite } from './text-recognizer-suite.js'
export { vectorIndexSuite } from './vector-index-suite.js'
