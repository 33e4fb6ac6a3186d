import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import type { Session } from '../../dist/src/index.js'
import type { SetDocument } from './retrieval-sets.js'

/** A chunk that the engine made of a document. */
interface IngestedChunk {
  readonly id: number
  /** The key of its document. */
  readonly key: string
  readonly fileName: string
  /** UTF-16 offset in the document. */
  readonly start: number
  readonly content: string
}

/** A context whose documents are ingested. */
export interface IngestedContext {
  readonly session: Session
  readonly contextId: number
  readonly chunks: readonly IngestedChunk[]
}

/** Ingests documents with the default model into a new engine, which is removed after the work. */
export async function withDocuments<T>(
  settings: { readonly chunkSizeTokens?: number; readonly overlap?: number },
  documents: readonly SetDocument[],
  work: (context: IngestedContext) => Promise<T>,
): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'alcove-benchmark-'))
  const engine = await openLocalEngine({ dataDir })
  try {
    const session = engine.as(engine.owner)
    const texts = { name: 'Benchmark', description: '', caption: '', toolsJson: '[]' }
    const { id: contextId } = await session.contexts.create({ ...texts, settings })
    const uuids: string[] = []
    for (const { fileName, content } of documents) {
      uuids.push(await session.documents.upload(contextId, { fileName, content }))
    }
    const chunks: IngestedChunk[] = []
    for (const [at, { key, fileName }] of documents.entries()) {
      const uuid = uuids[at] ?? ''
      await session.documents.whenProcessed(uuid)
      for (const chunk of await session.documents.chunks(uuid)) chunks.push({ ...chunk, key, fileName })
    }
    return await work({ session, contextId, chunks })
  } finally {
    await engine.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}
