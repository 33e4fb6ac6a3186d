import { describe, it } from 'vitest'
import {
  MemoryClock,
  MemoryEmbeddingModel,
  MemoryFileStore,
  MemoryLexicalIndex,
  MemoryReranker,
  MemoryStarterPromptWriter,
  MemoryStorage,
  MemoryTelemetry,
  MemoryTextExtractor,
  MemoryTextRecognizer,
  MemoryVectorIndex,
} from '../../../adapters/memory/index.js'
import { type MemoryLockTable, MemoryProcessLocks } from '../../../adapters/memory/memory-host.js'
import { MemoryTracer } from '../../../adapters/memory/memory-tracer.js'
import type { EmbeddingModel } from '../../../src/ports/index.js'
import {
  clockSuite,
  embeddingModelSuite,
  fileStoreSuite,
  lexicalIndexSuite,
  processLocksSuite,
  rerankerSuite,
  type Subject,
  starterPromptWriterSuite,
  storageSuite,
  telemetrySuite,
  textExtractorSuite,
  textRecognizerSuite,
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
embeddingModelSuite(runner, 'memory, with windows of 8,192 tokens', () =>
  subject(new MemoryEmbeddingModel({ windowTokens: 8_192 })),
)

embeddingModelSuite(runner, 'memory, with a counter of tokens', () => subject(countingModel()))
rerankerSuite(runner, 'memory', () => subject(new MemoryReranker()))
textExtractorSuite(runner, 'memory', () => subject(new MemoryTextExtractor()))
textRecognizerSuite(runner, 'memory', () => subject(new MemoryTextRecognizer()))
fileStoreSuite(runner, 'memory', () => subject(new MemoryFileStore()))
starterPromptWriterSuite(runner, 'memory', () => subject(new MemoryStarterPromptWriter()))
clockSuite(runner, 'memory', () => subject(new MemoryClock()))
telemetrySuite(runner, 'memory', () => subject(new MemoryTelemetry()))
telemetrySuite(runner, 'memory, with a tracer', () => subject(new MemoryTelemetry({ tracer: new MemoryTracer() })))
processLocksSuite(runner, 'memory', () => {
  const table: MemoryLockTable = new Map()
  return subject({ one: new MemoryProcessLocks(table), other: new MemoryProcessLocks(table) })
})

/** A model whose tokens can only be counted, as with one that runs elsewhere. */
function countingModel(): EmbeddingModel {
  const model = new MemoryEmbeddingModel()
  return {
    profile: model.profile,
    embed: (texts, options) => model.embed(texts, options),
    verify: () => model.verify(),
    close: () => model.close(),
    async tokenizer() {
      const tokenizer = await model.tokenizer()
      const { specialTokens } = tokenizer
      return { specialTokens, split: (text) => tokenizer.split(text), count: (text) => tokenizer.count(text) }
    },
  }
}
