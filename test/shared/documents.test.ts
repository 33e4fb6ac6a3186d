import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTokenizer } from '../../adapters/device/index.js'
import { openLocalEngine } from '../../adapters/local/index.js'
import { MemoryEmbeddingModel } from '../../adapters/memory/index.js'
import type { Engine, Session } from '../../src/index.js'
import type { Tokenizer } from '../../src/ports/index.js'
import { bundledModel } from '../bundled-model.js'
import { temporaryFolder } from '../temporary-folder.js'
import { dataFolder, readShared, type SharedDocument, someDocuments } from './shared-documents.js'

/**
 * All real files through the public API. With ALCOVE_FULL=1 the real model embeds them, which takes half an hour.
 * Otherwise a model without weights embeds them, with the real tokenizer.
 */
const isFull = process.env['ALCOVE_FULL'] === '1'

/** Tags of files that may end with any error. */
const MAY_FAIL = new Set(['corrupt', 'fuzzed', 'encrypted', 'empty', 'scanned-or-image-only', 'malicious-or-odd'])
const ALLOWED = /\((ERR_NO_TEXT|ERR_UNSUPPORTED_FORMAT)\)$|^ERR_(NO_TEXT|UNSUPPORTED_FORMAT)$/
const wordPiece = await openTokenizer(bundledModel)

class TokenizingModel extends MemoryEmbeddingModel {
  constructor() {
    super({ windowTokens: 256 })
  }

  override async tokenizer(): Promise<Tokenizer> {
    return wordPiece
  }

  override async embed(texts: readonly string[]): Promise<Float32Array> {
    const vectors = new Float32Array(texts.length * this.profile.dimensions)
    texts.forEach((text, row) => {
      expect(wordPiece.count(text)).toBeLessThanOrEqual(254)
      vectors[row * this.profile.dimensions + (text.length % this.profile.dimensions)] = 1
    })
    return vectors
  }
}

describe.skipIf(dataFolder === undefined)('a real file', async () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let engine: Engine
  let session: Session
  let contextId: number
  const outcomes = new Map<string, Map<string, number>>()

  beforeAll(async () => {
    folder = await temporaryFolder()
    const model = isFull ? {} : { embeddingModels: [new TokenizingModel()] }
    engine = await openLocalEngine({ dataDir: folder.path, ...model })
    session = engine.as(engine.owner)
    const texts = { name: 'All', description: '', caption: '', toolsJson: '[]' }
    contextId = (await session.contexts.create({ ...texts, settings: { maxSizeBytes: 1_000_000_000 } })).id
  })

  afterAll(async () => {
    await engine.close()
    await rm(folder.path, { recursive: true, force: true })
    for (const [type, counts] of [...outcomes].sort()) console.log(type, Object.fromEntries([...counts].sort()))
  })

  it.each(await someDocuments(0))(
    'is ingested, or refused for the reason that its tag names: $file ($tag)',
    async (document) => {
      const outcome = await ingest(document)
      const counts = outcomes.get(document.type) ?? new Map<string, number>()
      outcomes.set(document.type, counts.set(outcome, (counts.get(outcome) ?? 0) + 1))
      if (outcome === 'completed') return
      expect(outcome).toMatch(/^ERR_[A-Z_]+$/)
      expect(outcome).not.toBe('ERR_INTERNAL')
      if (MAY_FAIL.has(document.tag)) return
      if (document.tag === 'encoding' && outcome.includes('ERR_UNDECODABLE_TEXT')) return
      expect(outcome).toMatch(ALLOWED)
    },
    3_600_000,
  )

  async function ingest(document: SharedDocument): Promise<string> {
    const { fileName, bytes } = await readShared(document)
    try {
      const uuid = await session.documents.upload(contextId, { fileName, content: bytes })
      const { chunks } = await session.documents.whenProcessed(uuid)
      expect(chunks).toBeGreaterThan(0)
      return 'completed'
    } catch (error) {
      return (error as { readonly code?: string }).code ?? String(error)
    }
  }
})
