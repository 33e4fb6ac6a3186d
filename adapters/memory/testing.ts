/** For the tests of a host: an engine in memory, and the parts that a test looks at or changes. */
export { createMemoryEngine, type MemoryEngine } from './create-memory-engine.js'
export { MemoryEmbeddingModel } from './memory-embedding-model.js'
export { MemoryClock, MemoryTelemetry } from './memory-host.js'
export { MemoryHttpTransport, type MemoryHttpTransportOptions } from './memory-http-transport.js'
export { MemoryReranker } from './memory-reranker.js'
export { MemoryMailer } from './memory-security.js'
export { MemoryTextExtractor } from './memory-text-extractor.js'
export { MemoryTextRecognizer } from './memory-text-recognizer.js'
