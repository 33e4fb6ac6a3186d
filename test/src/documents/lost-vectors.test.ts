import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  MemoryEmbeddingModel,
  MemoryFileStore,
  MemoryStorage,
  MemoryVectorIndex,
} from '../../../adapters/memory/index.js'
import type { Engine } from '../../../src/index.js'
import { type EmbedOptions, untilAborted } from '../../../src/ports/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT } from '../engine/memory-engine.js'

/** One write has a thousand windows or more. */
const SENTENCES = 5_000
const TEXT = Array.from({ length: SENTENCES }, (_, number) => `Shelf ${number} holds jar number ${number * 7}.`).join(
  ' ',
)
const SETTINGS = { chunkSizeTokens: 16, overlap: 0 }

/** The ports that outlive a process. */
class KeptStorage extends MemoryStorage {
  override async close(): Promise<void> {
    await Promise.resolve()
  }
}
class KeptVectorIndex extends MemoryVectorIndex {
  override async close(): Promise<void> {
    await Promise.resolve()
  }
}

/** Stops embedding when the condition becomes true, and continues after `goOn`. */
class PausedModel extends MemoryEmbeddingModel {
  /** The number of texts that were embedded, or wait for it. */
  texts = 0
  readonly #isPaused: () => boolean
  #goOn: () => void = () => undefined
  readonly #resumed = new Promise<void>((resolve) => {
    this.#goOn = resolve
  })

  constructor(isPaused: () => boolean) {
    super()
    this.#isPaused = isPaused
  }

  goOn(): void {
    this.#goOn()
  }

  override async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array> {
    const { signal = new AbortController().signal } = options
    if (this.#isPaused()) await untilAborted(this.#resumed, signal)
    this.texts += texts.length
    return await super.embed(texts, options)
  }
}

let engine: Engine | undefined

afterEach(async () => {
  vi.restoreAllMocks()
  await engine?.close()
  engine = undefined
})

/** A document with two written parts and a third whose embedding waits for `goOn`. */
async function halfWritten() {
  const ports = { storage: new KeptStorage(), fileStore: new MemoryFileStore(), vectorIndex: new KeptVectorIndex() }
  const add = vi.spyOn(ports.vectorIndex, 'add')
  const modelAfterRestart = new PausedModel(() => false)
  const model = new PausedModel(() => add.mock.calls.length >= 2)
  const first = await memoryEngine({ ...ports, embeddingModels: [model] })
  engine = first.engine
  const { id } = await first.session.contexts.create({ ...NEW_CONTEXT, settings: SETTINGS })
  const uuid = await first.session.documents.upload(id, { fileName: 'a.txt', content: Buffer.from(TEXT) })
  await vi.waitFor(
    async () => {
      const document = await ports.storage.read(({ documents }) => documents.get(1))
      expect(document?.embeddedChunks).toBeGreaterThan(1_500)
    },
    { timeout: 20_000, interval: 200 },
  )
  const [collection = ''] = await ports.vectorIndex.listCollections()
  return {
    ports,
    first,
    contextId: id,
    uuid,
    collection,
    goOn: () => model.goOn(),
    restart: async (): Promise<MemoryEngine> => {
      await first.engine.close()
      const next = await memoryEngine({ ...ports, embeddingModels: [modelAfterRestart] })
      engine = next.engine
      return next
    },
    /** The number of texts that were embedded since the restart. */
    embedded: () => modelAfterRestart.texts,
  }
}

type Half = Awaited<ReturnType<typeof halfWritten>>

/** Every window of the completed document has its vector, and a search finds it. */
async function expectWhole({ session }: MemoryEngine, { ports, uuid, contextId, collection }: Half): Promise<void> {
  await session.documents.whenProcessed(uuid)
  const { receipt, error } = await session.documents.get(uuid)
  expect(error).toBeNull()
  expect([...(await ports.vectorIndex.countByDocument(collection))]).toEqual([[1, receipt?.windows]])
  for (const { content, id } of (await session.documents.chunks(uuid)).filter(({ ordinal }) => ordinal % 900 === 3)) {
    expect((await session.search(contextId, content, { topN: 3 })).map((hit) => hit.id)).toContain(id)
  }
}

describe('the processing of an unfinished document', () => {
  it('starts from the beginning when all vectors are lost, for example by a power cut', async () => {
    const half = await halfWritten()
    await half.first.engine.close()
    await half.ports.vectorIndex.drop(half.collection)
    await expectWhole(await half.restart(), half)
  })

  it('starts from the beginning when the last written vectors are lost', async () => {
    const half = await halfWritten()
    await half.first.engine.close()
    await half.ports.vectorIndex.deleteDocument(half.collection, 1, 700)
    await expectWhole(await half.restart(), half)
  })

  it('starts from the beginning after a moment when the vectors are dropped while it runs', async () => {
    const half = await halfWritten()
    await half.ports.vectorIndex.drop(half.collection)
    half.goOn()
    await expectWhole(half.first, half)
  })

  it('keeps the written vectors when none are lost', async () => {
    const half = await halfWritten()
    await expectWhole(await half.restart(), half)
    expect(half.embedded()).toBeLessThan(SENTENCES - 1_500)
  })
})
