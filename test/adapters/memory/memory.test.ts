import { describe, it } from 'vitest'
import {
  MemoryClock,
  MemoryEmbeddingModel,
  MemoryFileStore,
  MemoryLexicalIndex,
  type MemoryLockTable,
  MemoryProcessLocks,
  MemoryStarterPromptWriter,
  MemoryStorage,
  MemoryTelemetry,
  MemoryTextExtractor,
  MemoryVectorIndex,
} from '../../../adapters/memory/index.js'
import {
  clockSuite,
  embeddingModelSuite,
  fileStoreSuite,
  lexicalIndexSuite,
  processLocksSuite,
  type Subject,
  starterPromptWriterSuite,
  storageSuite,
  telemetrySuite,
  textExtractorSuite,
  vectorIndexSuite,
} from '../../conformance/index.js'

const runner = { describe, it }

function subject<Port>(port: Port): Promise<Subject<Port>> {
  return Promise.resolve({ port, dispose: () => Promise.resolve() })
}

storageSuite(runner, 'memory', () => subject(new MemoryStorage()))
vectorIndexSuite(runner, 'memory', () => subject(new MemoryVectorIndex()))
lexicalIndexSuite(runner, 'memory', () => subject(new MemoryLexicalIndex()))
embeddingModelSuite(runner, 'memory', () => subject(new MemoryEmbeddingModel()))
textExtractorSuite(runner, 'memory', () => subject(new MemoryTextExtractor()))
fileStoreSuite(runner, 'memory', () => subject(new MemoryFileStore()))
starterPromptWriterSuite(runner, 'memory', () => subject(new MemoryStarterPromptWriter()))
clockSuite(runner, 'memory', () => subject(new MemoryClock()))
telemetrySuite(runner, 'memory', () => subject(new MemoryTelemetry()))
processLocksSuite(runner, 'memory', () => {
  const table: MemoryLockTable = new Map()
  return subject({ one: new MemoryProcessLocks(table), other: new MemoryProcessLocks(table) })
})
