import { vi } from 'vitest'
import {
  MemoryEmbeddingModel,
  MemoryFileStore,
  MemoryLexicalIndex,
  MemoryStorage,
  MemoryVectorIndex,
} from '../../../adapters/memory/index.js'
import type { EngineOptions } from '../../../src/index.js'
import { type EmbedOptions, type LexicalRows, untilAborted } from '../../../src/ports/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT } from './memory-engine.js'

/** The steps at which a test may stop the processing of a document. */
export type WordStep = 'words:add' | 'words:added' | 'words:delete' | 'texts:embed' | 'vectors:add' | 'vectors:added'

type Hook = (step: WordStep, signal: AbortSignal | undefined) => unknown

/** A search embeds no more passages at a time: those that it finds by words before they have vectors. */
const TEXTS_OF_SEARCH = 4

/** 5,000 sentences: a document whose words and vectors are written in several parts. */
const SENTENCES = 5_000
/** Words that occur once: at the beginning, in the middle and at the end. */
const ANIMALS = new Map([
  [3, 'aardvark'],
  [2_500, 'badger'],
  [4_990, 'cormorant'],
])
export const LARGE_TEXT: string = Array.from({ length: SENTENCES }, (_, number) => {
  const animal = ANIMALS.get(number) ?? 'jam'
  return `Shelf ${number} holds ${animal} of kind ${number % 7}.`
}).join(' ')

/** About forty chunks of 16 tokens, of which one has the word. */
export function smallText(word: string): string {
  return Array.from({ length: 60 }, (_, number) => `Row ${number} has ${number === 20 ? word : 'plain'} seeds.`).join(
    ' ',
  )
}

class KeptStorage extends MemoryStorage {
  override async close(): Promise<void> {
    await Promise.resolve()
  }
}

class KeptVectorIndex extends MemoryVectorIndex {
  readonly #step: (step: WordStep) => Promise<unknown>

  constructor(step: (step: WordStep) => Promise<unknown>) {
    super()
    this.#step = step
  }

  override async add(...args: Parameters<MemoryVectorIndex['add']>): Promise<void> {
    await this.#step('vectors:add')
    await super.add(...args)
    await this.#step('vectors:added')
  }

  override async close(): Promise<void> {
    await Promise.resolve()
  }
}

class KeptLexicalIndex extends MemoryLexicalIndex {
  readonly #step: (step: WordStep) => Promise<unknown>

  constructor(step: (step: WordStep) => Promise<unknown>) {
    super()
    this.#step = step
  }

  override async add(collection: string, rows: LexicalRows): Promise<void> {
    await this.#step('words:add')
    await super.add(collection, rows)
    await this.#step('words:added')
  }

  override async deleteDocument(...args: Parameters<MemoryLexicalIndex['deleteDocument']>): Promise<void> {
    await this.#step('words:delete')
    await super.deleteDocument(...args)
  }

  override async close(): Promise<void> {
    await Promise.resolve()
  }
}

class HookedModel extends MemoryEmbeddingModel {
  /** The number of embedded texts. */
  texts = 0
  /** The number of passages that searches embedded. */
  textsOfSearches = 0
  readonly #step: (step: WordStep, signal: AbortSignal | undefined) => Promise<unknown>

  constructor(step: (step: WordStep, signal: AbortSignal | undefined) => Promise<unknown>) {
    super()
    this.#step = step
  }

  override async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array> {
    if (options.kind === 'query' || texts.length <= TEXTS_OF_SEARCH) {
      if (options.kind === 'passage') this.textsOfSearches += texts.length
      return await super.embed(texts, options)
    }
    await untilAborted(this.#step('texts:embed', options.signal), options.signal)
    this.texts += texts.length
    return await super.embed(texts, options)
  }
}

/** The ports that outlive a process, and the engine on them. */
export class WordEngine {
  /** Called at each step; may wait, or throw. */
  hook: Hook = () => undefined
  readonly storage: MemoryStorage = new KeptStorage()
  readonly fileStore: MemoryFileStore = new MemoryFileStore()
  readonly vectors: MemoryVectorIndex
  readonly words: MemoryLexicalIndex
  model: HookedModel
  memory: MemoryEngine | undefined
  readonly #step: (step: WordStep, signal?: AbortSignal) => Promise<unknown>

  constructor() {
    this.#step = async (step, signal) => await this.hook(step, signal)
    this.vectors = new KeptVectorIndex(this.#step)
    this.words = new KeptLexicalIndex(this.#step)
    this.model = new HookedModel(this.#step)
  }

  async open(overrides: Partial<EngineOptions> = {}): Promise<MemoryEngine> {
    this.model = new HookedModel(this.#step)
    this.memory = await memoryEngine({
      storage: this.storage,
      fileStore: this.fileStore,
      vectorIndex: this.vectors,
      lexicalIndex: this.words,
      embeddingModels: [this.model],
      isAlone: true,
      ...overrides,
    })
    return this.memory
  }

  async close(): Promise<void> {
    await this.memory?.engine.close()
    this.memory = undefined
  }

  get opened(): MemoryEngine {
    if (this.memory === undefined) throw new Error('the engine is closed')
    return this.memory
  }

  /** A context with chunks of 16 tokens. */
  async newContext(settings: { readonly findsEarly?: boolean } = {}): Promise<number> {
    const { session } = this.opened
    const input = { ...NEW_CONTEXT, settings: { chunkSizeTokens: 16, overlap: 0, ...settings } }
    return (await session.contexts.create(input)).id
  }

  async upload(contextId: number, fileName: string, text: string): Promise<string> {
    return await this.opened.session.documents.upload(contextId, { fileName, content: Buffer.from(text) })
  }

  /** Ids of the documents that a search by words finds. */
  async foundByWords(contextId: number, prompt: string): Promise<number[]> {
    const results = await this.opened.session.search(contextId, prompt, { mode: 'keyword', topN: 100 })
    return [...new Set(results.map(({ docId }) => docId))]
  }

  /** Rows of each document in all collections of an index. */
  async rows(index: MemoryLexicalIndex | MemoryVectorIndex): Promise<[collection: string, id: number, rows: number][]> {
    const found: [string, number, number][] = []
    for (const name of await index.listCollections()) {
      for (const [id, count] of await index.countByDocument(name)) found.push([name, id, count])
    }
    return found
  }

  /** Resolves once no job of these kinds is left. */
  async untilNoJob(...kinds: string[]): Promise<void> {
    await vi.waitFor(
      async () => {
        const waiting = await this.storage.read(({ jobs }) => jobs.waiting(kinds))
        if (waiting.length > 0) throw new Error(`jobs are left: ${kinds.join(', ')}`)
      },
      { timeout: 30_000, interval: 20 },
    )
  }
}

/** A promise, and the function that resolves it. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
