import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { backupDataDir, openLocalEngine, restoreDataDir } from '../../../../adapters/local/index.js'
import { MemoryEmbeddingModel, MemoryTextExtractor } from '../../../../adapters/memory/index.js'
import type { Engine } from '../../../../src/index.js'
import type { EmbedOptions } from '../../../../src/ports/index.js'
import { NEW_CONTEXT } from '../../../src/engine/memory-engine.js'
import { temporaryFolder } from '../../../temporary-folder.js'

const DOCUMENTS = 12

/** A model that embeds some passages, and then waits until its caller aborts. */
class SlowModel extends MemoryEmbeddingModel {
  #left: number

  constructor(passages: number) {
    super({ id: 'second', fingerprint: 'second-1', dimensions: 32 })
    this.#left = passages
  }

  get isWaiting(): boolean {
    return this.#left < 0
  }

  override async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array> {
    if (options.kind === 'passage') this.#left -= texts.length
    if (options.kind === 'passage' && this.#left < 0) {
      await new Promise((resolve) => options.signal?.addEventListener('abort', resolve))
    }
    return await super.embed(texts, options)
  }
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
})

afterEach(async () => {
  await folder.remove()
})

async function open(dataDir: string, second: MemoryEmbeddingModel): Promise<Engine> {
  const embeddingModels = [new MemoryEmbeddingModel(), second]
  return await openLocalEngine({ dataDir, embeddingModels, textExtractor: new MemoryTextExtractor() })
}

async function numbersIn(engine: Engine, contextId: number): Promise<number[]> {
  const hits = await engine.as(engine.owner).search(contextId, 'a heron nests in reeds', { topN: 100 })
  return hits.map(({ content }) => Number(/number(\d+)/.exec(content)?.[1])).sort((one, other) => one - other)
}

async function expectHealthy(engine: Engine): Promise<void> {
  await expect
    .poll(
      async () => {
        const { problems, checked } = await engine.administration.verify()
        return { problems, vectors: checked.vectors - checked.windows, words: checked.indexedChunks - checked.chunks }
      },
      { timeout: 30_000, interval: 300 },
    )
    .toEqual({ problems: [], vectors: 0, words: 0 })
}

describe('a re-index in progress', () => {
  it('goes on after the engine is opened again, and after a backup of it is restored', async () => {
    const [dataDir, file, restored] = ['data', 'backup.tar', 'restored'].map((name) => join(folder.path, name))
    if (dataDir === undefined || file === undefined || restored === undefined) throw new Error('there are three paths')
    const expected = Array.from({ length: DOCUMENTS }, (_, at) => at)
    const slow = new SlowModel(DOCUMENTS / 2)
    let engine = await open(dataDir, slow)
    let { contexts, documents } = engine.as(engine.owner)
    const { id } = await contexts.create({ ...NEW_CONTEXT, settings: { scoreThreshold: 0 } })
    for (const at of expected) {
      const content = `The heron number${at} nests in reeds.`
      await documents.whenProcessed(await documents.upload(id, { fileName: `${at}.txt`, content }))
    }
    await contexts.update(id, { settings: { embeddingModel: 'second' } })
    await expect.poll(() => slow.isWaiting, { timeout: 30_000 }).toBe(true)
    expect((await contexts.settings(id)).reindexing).toMatchObject({ documentsTotal: DOCUMENTS, error: null })
    expect((await engine.administration.verify()).problems).toEqual([])

    expect(await backupDataDir({ dataDir, file })).toMatchObject({ documents: DOCUMENTS, files: DOCUMENTS })
    await engine.close()

    await restoreDataDir({ dataDir: restored, file })
    for (const place of [dataDir, restored]) {
      engine = await open(place, new SlowModel(Infinity))
      ;({ contexts, documents } = engine.as(engine.owner))
      expect(await numbersIn(engine, id)).toEqual(expected)
      expect(await contexts.whenReindexed(id)).toMatchObject({ embeddingModel: 'second', reindexing: null })
      expect(await numbersIn(engine, id)).toEqual(expected)
      await expectHealthy(engine)
      expect(await documents.list(id)).toHaveLength(DOCUMENTS)
      await engine.close()
    }
  })
})
