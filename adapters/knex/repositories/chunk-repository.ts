import type { ChunkKey, ChunkRecord, ChunkRepository, NewChunk, VectorKey } from '../../../src/ports/index.js'
import { number, type Row, text } from '../rows.js'
import { inParts, KnexRepository, type Session } from './base.js'

export class KnexChunkRepository extends KnexRepository implements ChunkRepository {
  constructor(session: Session) {
    super(session, 'chunks')
  }

  async insert(documentId: number, chunks: readonly NewChunk[]): Promise<void> {
    const rows = chunks.map(({ windows: _, ...chunk }) => ({ document_id: documentId, ...chunk }))
    const windows = chunks.flatMap((chunk) =>
      chunk.windows.map((window, ordinal) => ({ document_id: documentId, chunk: chunk.ordinal, ordinal, ...window })),
    )
    for (const part of inParts(rows)) await this.rows.insert(part)
    for (const part of inParts(windows)) await this.#windows.insert(part)
  }

  async listHashes(documentId: number): Promise<readonly string[]> {
    const rows = await this.rows.where('document_id', documentId).orderBy('ordinal').select('hash')
    return rows.map((row) => text(row, 'hash'))
  }

  async list(documentId: number): Promise<readonly ChunkRecord[]> {
    const rows = await this.#visible()
      .where('document.id', documentId)
      .orderBy('chunk.ordinal')
      .select<Row[]>('chunk.*')
    return rows.map(toChunk)
  }

  async findVisible(contextId: number, keys: readonly ChunkKey[]): Promise<readonly ChunkRecord[]> {
    if (keys.length === 0) return []
    // One statement: what it finds is of one moment.
    const pairs = keys.map((key) => [key.documentId, key.ordinal])
    const rows = await this.#visible()
      .whereIn(['chunk.document_id', 'chunk.ordinal'], pairs)
      .where('document.context_id', contextId)
      .select<Row[]>('chunk.*')
    return rows.map(toChunk)
  }

  async findWindows(contextId: number, hashes: readonly string[]): Promise<ReadonlyMap<string, VectorKey>> {
    const { knex, name } = this.session
    const found = new Map<string, VectorKey>()
    for (const part of inParts(hashes)) {
      const rows = await knex({ window: name('windows') })
        .join({ document: name('documents') }, 'document.id', 'window.document_id')
        .whereIn('window.hash', part)
        .where('document.context_id', contextId)
        .whereNull('document.deleted')
        .select<Row[]>('window.hash', 'window.document_id', 'window.chunk', 'window.ordinal')
      for (const row of rows) {
        const key = {
          documentId: number(row, 'document_id'),
          chunk: number(row, 'chunk'),
          window: number(row, 'ordinal'),
        }
        found.set(text(row, 'hash'), key)
      }
    }
    return found
  }

  async remove(documentId: number, options: { readonly fromOrdinal: number; readonly limit: number }): Promise<number> {
    const doomed = await this.rows
      .where('document_id', documentId)
      .where('ordinal', '>=', options.fromOrdinal)
      .orderBy('ordinal', 'desc')
      .limit(options.limit)
      .select('ordinal')
    const lowest = doomed.at(-1)
    if (lowest === undefined) return 0
    const from = number(lowest, 'ordinal')
    await this.#windows.where('document_id', documentId).where('chunk', '>=', from).delete()
    await this.rows.where('document_id', documentId).where('ordinal', '>=', from).delete()
    return doomed.length
  }

  get #windows() {
    return this.session.knex<Row>(this.session.name('windows'))
  }

  #visible() {
    const { knex, name } = this.session
    return knex({ chunk: name('chunks') })
      .join({ document: name('documents') }, 'document.id', 'chunk.document_id')
      .join({ context: name('contexts') }, 'context.id', 'document.context_id')
      .whereNotNull('document.completed')
      .whereNull('document.deleted')
      .whereNull('context.deleted')
  }
}

function toChunk(row: Row): ChunkRecord {
  return {
    id: number(row, 'id'),
    documentId: number(row, 'document_id'),
    ordinal: number(row, 'ordinal'),
    content: text(row, 'content'),
    start: number(row, 'start'),
    tokens: number(row, 'tokens'),
  }
}
