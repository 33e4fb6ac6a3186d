/** A reference implementation of every port, in memory: for tests, and to read what a port must do. */
export { MemoryEmbeddingModel } from './memory-embedding-model.js'
export { MemoryFileStore } from './memory-file-store.js'
export { MemoryHttpTransport, type MemoryHttpTransportOptions } from './memory-http-transport.js'
export { MemoryClock, MemoryStarterPromptWriter, MemoryTelemetry } from './memory-observers.js'
export { MemoryMailer, MemoryPasswordHasher, MemoryTokenSigner } from './memory-security.js'
export { MemoryStorage } from './memory-storage.js'
export { MemoryTextExtractor } from './memory-text-extractor.js'
export { MemoryVectorIndex } from './memory-vector-index.js'
