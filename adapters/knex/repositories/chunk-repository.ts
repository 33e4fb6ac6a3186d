import type { Knex } from 'knex'
import type {
  ChunkCounts,
  ChunkKey,
  ChunkRecord,
  ChunkRepository,
  FoundWindow,
  NewChunk,
  VectorKey,
  VisibleChunk,
  WindowRecord,
  WordVisibility,
} from '../../../src/ports/index.js'
import { type Column, Columns, INTEGER, INTEGER_OR_NULL, TEXT, TEXT_OR_NULL } from '../columns.js'
import { jsonOrNull, number, numberOrNull, type Row, text, textOrNull } from '../tables.js'
import { toMetadata } from './document-rows.js'
import { inParts, KnexRepository, readAllPages, type Session } from './knex-repository.js'

const HEADINGS: Column<readonly string[]> = {
  read: (row, column) => (jsonOrNull(row, column) as string[] | null) ?? [],
  write: (headings) => (headings.length === 0 ? null : JSON.stringify(headings)),
}
const COMMON = {
  ordinal: INTEGER,
  start: INTEGER,
  tokens: INTEGER,
  pageFirst: INTEGER_OR_NULL,
  pageLast: INTEGER_OR_NULL,
  headings: HEADINGS,
}
const NEW_CHUNK = new Columns<Omit<NewChunk, 'windows'>>({
  ...COMMON,
  content: TEXT,
  hash: TEXT,
  gapBefore: TEXT_OR_NULL,
  gapAfter: TEXT_OR_NULL,
})
const FOUND = { ...COMMON, id: INTEGER, documentId: INTEGER }
const FOUND_CHUNK = new Columns<Omit<ChunkRecord, 'content'>>(FOUND)
const CHUNK = new Columns<ChunkRecord>({ ...FOUND, content: TEXT })
const WINDOW = new Columns<WindowRecord>({ start: INTEGER, end: INTEGER, tokens: INTEGER, hash: TEXT })

export class KnexChunkRepository extends KnexRepository implements ChunkRepository {
  constructor(session: Session) {
    super(session, 'chunks')
  }

  async insert(documentId: number, chunks: readonly NewChunk[]): Promise<void> {
    const rows = chunks.map((chunk) => ({ document_id: documentId, ...NEW_CHUNK.toRow(chunk) }))
    const windows = chunks.flatMap((chunk) =>
      chunk.windows.map((window, ordinal) => ({
        document_id: documentId,
        chunk: chunk.ordinal,
        ordinal,
        ...WINDOW.toRow(window),
      })),
    )
    for (const part of inParts(rows)) await this.rows.insert(part)
    for (const part of inParts(windows)) await this.#windows.insert(part)
  }

  async listHashes(
    documentId: number,
    { ordinal, limit }: { readonly ordinal: number; readonly limit: number },
  ): Promise<readonly string[]> {
    const rows = await this.#from(documentId, ordinal).limit(limit).select('hash')
    return rows.map((row) => text(row, 'hash'))
  }

  async listFrom(
    documentId: number,
    { ordinal, limit }: { readonly ordinal: number; readonly limit: number },
  ): Promise<readonly ChunkRecord[]> {
    const page = this.#visible().where('document.id', documentId).where('chunk.ordinal', '>=', ordinal)
    return (await page.orderBy('chunk.ordinal').limit(limit).select<Row[]>('chunk.*')).map(CHUNK.toRecord)
  }

  async list(documentId: number): Promise<readonly ChunkRecord[]> {
    const rows = await readAllPages(async (last, limit) => {
      const page = this.#visible().where('document.id', documentId).orderBy('chunk.ordinal').limit(limit)
      if (last !== undefined) void page.where('chunk.ordinal', '>', number(last, 'ordinal'))
      return await page.select<Row[]>('chunk.*')
    })
    // If the document was deleted between two pages, the list is empty: it must never be a part of a document.
    const isVisible = (await this.#visible().where('document.id', documentId).limit(1).select('chunk.id')).length > 0
    return isVisible ? rows.map(CHUNK.toRecord) : []
  }

  async findVisible(
    contextId: number,
    keys: readonly ChunkKey[],
    { maxBytes = Infinity, byWords }: { readonly maxBytes?: number; readonly byWords?: WordVisibility } = {},
  ): Promise<readonly VisibleChunk[]> {
    if (keys.length === 0) return []
    // One statement, so that all rows are of one moment. Neither database reads a text to get its size.
    const keyPairs = keys.map((key) => [key.documentId, key.ordinal])
    const query = this.#visible(byWords)
      .whereIn(['chunk.document_id', 'chunk.ordinal'], keyPairs)
      .where('document.context_id', contextId)
      .select('chunk.id', 'chunk.document_id', 'chunk.ordinal', 'chunk.start', 'chunk.tokens')
      .select('chunk.page_first', 'chunk.page_last', 'chunk.headings')
      .select('document.uuid', 'document.original_name', 'document.name_index', 'document.embedded_chunks')
      .select('document.public_id', 'document.display_name', 'document.metadata')
      .select(this.#raw('octet_length(chunk.content) as bytes'))
    const rows: Row[] = await (maxBytes === Infinity
      ? query.select('chunk.content')
      : query.select(
          this.#raw('case when octet_length(chunk.content) <= ? then chunk.content end as content', maxBytes),
        ))
    return rows.map((row) => {
      const chunk = FOUND_CHUNK.toRecord(row)
      return {
        ...chunk,
        content: textOrNull(row, 'content'),
        sizeBytes: number(row, 'bytes'),
        documentPublicId: number(row, 'public_id'),
        documentUuid: text(row, 'uuid'),
        originalName: text(row, 'original_name'),
        nameIndex: number(row, 'name_index'),
        displayName: textOrNull(row, 'display_name'),
        metadata: toMetadata(row),
        hasVectors: chunk.ordinal < number(row, 'embedded_chunks'),
      }
    })
  }

  async page(
    documentId: number,
    { ordinal, limit }: { readonly ordinal: number; readonly limit: number },
  ): Promise<readonly NewChunk[]> {
    const chunks = await this.#from(documentId, ordinal).limit(limit).select()
    const last = chunks.at(-1)
    if (last === undefined) return []
    const windows = await this.#windows
      .where('document_id', documentId)
      .whereBetween('chunk', [ordinal, number(last, 'ordinal')])
      .orderBy(['chunk', 'ordinal'])
      .select()
    const windowsByChunk = new Map<number, WindowRecord[]>()
    for (const row of windows) {
      const chunkWindows = windowsByChunk.get(number(row, 'chunk')) ?? []
      windowsByChunk.set(number(row, 'chunk'), chunkWindows)
      chunkWindows.push(WINDOW.toRecord(row))
    }
    return chunks.map((row) => ({
      ...NEW_CHUNK.toRecord(row),
      windows: windowsByChunk.get(number(row, 'ordinal')) ?? [],
    }))
  }

  async listWindows(keys: readonly VectorKey[]): Promise<readonly (VectorKey & WindowRecord)[]> {
    if (keys.length === 0) return []
    const keyTriples = keys.map(({ documentId, chunk, window }) => [documentId, chunk, window])
    const rows: Row[] = await this.#windows.whereIn(['document_id', 'chunk', 'ordinal'], keyTriples).select()
    return rows.map((row) => ({
      documentId: number(row, 'document_id'),
      chunk: number(row, 'chunk'),
      window: number(row, 'ordinal'),
      ...WINDOW.toRecord(row),
    }))
  }

  async count(documentIds: readonly number[]): Promise<ReadonlyMap<number, ChunkCounts>> {
    const counts = new Map<number, ChunkCounts>()
    for (const part of inParts(documentIds)) {
      const chunks = await this.rows
        .whereIn('document_id', part)
        .groupBy('document_id')
        .select('document_id', this.#raw('count(*) as chunks'), this.#raw('max(ordinal) + 1 as numbered'))
      const countsByChunk = this.#windows
        .whereIn('document_id', part)
        .groupBy('document_id', 'chunk')
        .select('document_id', 'chunk', this.#raw('count(*) as windows'), this.#raw('max(ordinal) + 1 as numbered'))
      const windows = await this.session.knex
        .from(countsByChunk.as('of_chunk'))
        .groupBy('document_id')
        .select<Row[]>(
          'document_id',
          this.#raw('sum(windows) as windows'),
          this.#raw('count(*) as chunks'),
          this.#raw('max(chunk) + 1 as numbered_chunks'),
          this.#raw('sum(numbered) as numbered'),
        )
      const windowsByDocument = new Map(windows.map((row) => [number(row, 'document_id'), row]))
      for (const row of chunks) counts.set(number(row, 'document_id'), toCounts(row, windowsByDocument))
      // The remaining documents have windows, but no chunk.
      for (const [id, row] of windowsByDocument)
        counts.set(id, { chunks: 0, windows: number(row, 'windows'), isWhole: false })
    }
    return counts
  }

  async listOrphans(limit: number): Promise<readonly number[]> {
    const { knex, name } = this.session
    const owners = this.rows.distinct('document_id').union(this.#windows.distinct('document_id'))
    const rows = await knex
      .from(owners.as('owners'))
      .whereNotIn('document_id', knex(name('documents')).select('id'))
      .orderBy('document_id')
      .limit(limit)
      .select<Row[]>('document_id')
    return rows.map((row) => number(row, 'document_id'))
  }

  async findWindows(contextId: number, hashes: readonly string[]): Promise<ReadonlyMap<string, FoundWindow>> {
    const { knex, name } = this.session
    const found = new Map<string, FoundWindow>()
    for (const part of inParts(hashes)) {
      const rows = await knex({ window: name('windows') })
        .join({ document: name('documents') }, 'document.id', 'window.document_id')
        .whereIn('window.hash', part)
        .where('document.context_id', contextId)
        .whereNull('document.deleted')
        .whereRaw('"window"."chunk" < "document"."embedded_chunks"')
        .select<Row[]>('window.hash', 'window.document_id', 'window.chunk', 'window.ordinal', 'document.generation')
      for (const row of rows) {
        const key = {
          documentId: number(row, 'document_id'),
          chunk: number(row, 'chunk'),
          window: number(row, 'ordinal'),
          generation: numberOrNull(row, 'generation'),
        }
        found.set(text(row, 'hash'), key)
      }
    }
    return found
  }

  async remove(documentId: number, options: { readonly fromOrdinal: number; readonly limit: number }): Promise<number> {
    const chunks = await this.rows
      .where('document_id', documentId)
      .where('ordinal', '>=', options.fromOrdinal)
      .orderBy('ordinal', 'desc')
      .limit(options.limit)
      .select('ordinal')
    const lowest = chunks.length < options.limit ? undefined : chunks.at(-1)
    const from = lowest === undefined ? options.fromOrdinal : number(lowest, 'ordinal')
    await this.#windows.where('document_id', documentId).where('chunk', '>=', from).delete()
    if (chunks.length > 0) await this.rows.where('document_id', documentId).where('ordinal', '>=', from).delete()
    return chunks.length
  }

  async removeOf(documentIds: readonly number[], limit: number): Promise<readonly number[]> {
    const removed: number[] = []
    let left = limit
    for (const ids of inParts([...documentIds].sort((one, other) => one - other))) {
      const chunks = await this.rows
        .whereIn('document_id', ids)
        .orderBy('document_id')
        .limit(left + 1)
        .select('document_id')
      // The rows end within this document.
      const first = chunks.length > left ? number(chunks.at(-1) ?? {}, 'document_id') : Infinity
      const whole = ids.filter((id) => id < first)
      if (whole.length > 0) {
        await this.#windows.whereIn('document_id', whole).delete()
        await this.rows.whereIn('document_id', whole).delete()
        removed.push(...whole)
      }
      if (first === Infinity) left -= chunks.length
      else {
        if (removed.length === 0) await this.remove(first, { fromOrdinal: 0, limit })
        break
      }
    }
    return removed
  }

  #from(documentId: number, ordinal: number): Knex.QueryBuilder<Row, Row[]> {
    return this.rows.where('document_id', documentId).where('ordinal', '>=', ordinal).orderBy('ordinal')
  }

  #raw(sql: string, ...bindings: readonly number[]): Knex.Raw {
    return this.session.knex.raw(sql, bindings)
  }

  get #windows() {
    return this.session.knex<Row>(this.session.name('windows'))
  }

  /** Chunks of documents that a search may find. @param byWords includes findable documents that are not completed */
  #visible(byWords?: WordVisibility) {
    const { knex, name } = this.session
    return knex({ chunk: name('chunks') })
      .join({ document: name('documents') }, 'document.id', 'chunk.document_id')
      .join({ context: name('contexts') }, 'context.id', 'document.context_id')
      .where((either) => {
        void either.whereNotNull('document.completed')
        if (byWords?.findsEarly !== true) return
        void either.orWhere((early) => {
          void early.where('document.words_version', byWords.version)
          void early.whereNull('document.error').whereNull('document.replaces')
        })
      })
      .whereNull('document.deleted')
      .whereNull('document.generation')
      .whereNull('context.deleted')
  }
}

/** Counts the rows of a document, and removes the document's entry from the map. */
function toCounts(row: Row, windowsByDocument: Map<number, Row>): ChunkCounts {
  const id = number(row, 'document_id')
  const windows = windowsByDocument.get(id)
  windowsByDocument.delete(id)
  const chunks = number(row, 'chunks')
  if (windows === undefined) return { chunks, windows: 0, isWhole: false }
  const numbered = [number(row, 'numbered'), number(windows, 'chunks'), number(windows, 'numbered_chunks')]
  const isWhole =
    numbered.every((count) => count === chunks) && number(windows, 'windows') === number(windows, 'numbered')
  return { chunks, windows: number(windows, 'windows'), isWhole }
}
