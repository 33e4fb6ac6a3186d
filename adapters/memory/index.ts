/** A reference implementation of every port, in memory. It is for tests, and shows what a port must do. */
export { MemoryEmbeddingModel } from './memory-embedding-model.js'
export { MemoryFileStore } from './memory-file-store.js'
export { MemoryClock, MemoryStarterPromptWriter, MemoryTelemetry } from './memory-host.js'
export { MemoryHttpTransport, type MemoryHttpTransportOptions } from './memory-http-transport.js'
export { MemoryLexicalIndex } from './memory-lexical-index.js'
export { MemoryReranker } from './memory-reranker.js'
export {
  MemoryCommonPasswords,
  MemoryMailer,
  MemoryOneTimePasswords,
  MemoryPasswordHasher,
  MemoryTokenSigner,
} from './memory-security.js'
export { MemoryStorage } from './memory-storage.js'
export { MemoryTextExtractor } from './memory-text-extractor.js'
export { MemoryTextRecognizer } from './memory-text-recognizer.js'
export { MemoryVectorIndex } from './memory-vector-index.js'
