import {
  type DocumentFilter,
  type DocumentMetadata,
  type DocumentNames,
  type DocumentPage,
  type DocumentPosition,
  type DocumentRecord,
  type DocumentRepository,
  type DocumentSelection,
  type DocumentStateCounts,
  type LanguageCount,
  type NewDocumentRecord,
  type Page,
  type SearchableVersions,
  type VersionMark,
  type WordVisibility,
} from '../../../src/ports/index.js'
import { patiently } from '../../node-kit/index.js'
import { IS_CURRENT, IS_LATER, IS_REPLACEMENT } from '../migrations/0001-initial-documents.js'
import { number, numberOrNull, quoted, type Row, text, textOrNull } from '../tables.js'
import { selectFiltered } from './document-filter.js'
import { readPage, readPositions } from './document-pages.js'
import { DOCUMENT, toNameColumns } from './document-rows.js'
import { readSearchableVersions, selectOtherWords } from './document-visibility.js'
import { inParts, KnexRepository, readAllPages, type Session } from './knex-repository.js'
import { insertMetadata, removeMetadata } from './metadata-rows.js'

/** The members of a document that can change. */
type DocumentChanges = Parameters<DocumentRepository['update']>[1]

/** Text columns that may be large. */
const LARGE_COLUMNS = ['original_name', 'display_name', 'metadata', 'error', 'receipt']

export class KnexDocumentRepository extends KnexRepository implements DocumentRepository {
  constructor(session: Session) {
    super(session, 'documents')
  }

  async insert(document: NewDocumentRecord): Promise<DocumentRecord> {
    const id = await this.insertRow({ ...DOCUMENT.toRow(document), ...toNameColumns(document) })
    const { publicId = id } = document
    if (document.publicId === undefined) await this.rows.where('id', id).update({ public_id: id })
    await insertMetadata(this.session, { id, contextId: document.contextId }, document.metadata)
    return { ...document, id, publicId }
  }

  async get(id: number): Promise<DocumentRecord | undefined> {
    const row = (await this.rows.where('id', id).whereNull('deleted').select())[0]
    return row && DOCUMENT.toRecord(row)
  }

  async getCurrent(publicId: number): Promise<DocumentRecord | undefined> {
    const row = (await this.rows.where('public_id', publicId).whereRaw(IS_CURRENT).select())[0]
    return row && DOCUMENT.toRecord(row)
  }

  async getByUuid(uuid: string): Promise<DocumentRecord | undefined> {
    const row = (await this.rows.where('uuid', uuid).whereNull('deleted').whereNull('generation').select())[0]
    return row && DOCUMENT.toRecord(row)
  }

  async listPublicIds(contextId: number, page: Page): Promise<readonly number[]> {
    return await this.idsOf(this.#current(contextId), page, 'public_id')
  }

  async listPage(
    contextId: number,
    page: DocumentPage,
    selection: DocumentSelection = {},
  ): Promise<readonly DocumentRecord[]> {
    return (await readPage(this.session, contextId, page, selection, LARGE_COLUMNS)).map(DOCUMENT.toRecord)
  }

  async listPositions(
    contextId: number,
    page: DocumentPage,
    selection: DocumentSelection = {},
  ): Promise<readonly DocumentPosition[]> {
    return await readPositions(this.session, contextId, page, selection)
  }

  async listReplacements(contextId: number, publicIds?: readonly number[]): Promise<readonly DocumentRecord[]> {
    const { dialect } = this.session
    const replacements = () => {
      const rows = this.rows.where('context_id', contextId).whereRaw(IS_REPLACEMENT)
      if (publicIds === undefined) return rows
      return rows.whereRaw(`public_id in ${dialect.ids}`, [dialect.bindIds(publicIds)])
    }
    return await this.#listAll(replacements, 'public_id')
  }

  async filtered(contextId: number, filter: DocumentFilter): Promise<readonly number[]> {
    const { knex, dialect } = this.session
    const rows = await knex
      .select<{ readonly ids: string }[]>(knex.raw(`${dialect.allIds} as ids`))
      .from(selectFiltered(this.session, contextId, filter))
    return (JSON.parse(rows[0]?.ids ?? '[]') as number[]).sort((one, other) => one - other)
  }

  async count(contextId: number): Promise<number> {
    return await this.countOf(this.#current(contextId))
  }

  async findSame(contextId: number, contentHash: string, originalName: string): Promise<DocumentRecord | undefined> {
    const row = (
      await this.rows
        .where({ context_id: contextId, original_name: originalName, content_hash: contentHash })
        .whereRaw(IS_CURRENT)
        .orderBy('id')
        .limit(1)
        .select()
    )[0]
    return row && DOCUMENT.toRecord(row)
  }

  async largestBytes(contextId: number, originalName?: string): Promise<number> {
    const rows = this.#current(contextId)
    if (originalName !== undefined) void rows.where('original_name', originalName)
    return Number((await rows.max({ bytes: 'size_bytes' }))[0]?.bytes ?? 0)
  }

  async nextNameIndex(
    contextId: number,
    originalName: string,
    { exceptPublicId }: { readonly exceptPublicId?: number } = {},
  ): Promise<number> {
    const named = this.rows.where({ context_id: contextId, original_name: originalName }).whereNull('deleted')
    void named.whereNull('generation')
    if (exceptPublicId !== undefined) void named.whereNot('public_id', exceptPublicId)
    const highest = (await named.max({ highest: 'name_index' }))[0]?.highest
    return highest === null || highest === undefined ? 0 : Number(highest) + 1
  }

  async lock(id: number): Promise<boolean> {
    // A write, not only a lock: a serializable transaction that changes the row later then runs again.
    return (await this.rows.where('id', id).whereNull('deleted').update('id', id)) > 0
  }

  async update(id: number, changes: DocumentChanges): Promise<boolean> {
    const { originalName, nameIndex, displayName } = changes
    const isNamed = [originalName, nameIndex, displayName].some((change) => change !== undefined)
    const named = isNamed ? await this.#namedRow(id, changes) : {}
    const isUpdated =
      (await this.rows
        .where('id', id)
        .whereNull('deleted')
        .update({ ...DOCUMENT.toRow(changes), ...named })) > 0
    if (isUpdated && changes.metadata !== undefined) {
      const [row] = await this.rows.where('id', id).select('context_id')
      if (row !== undefined) await this.#replaceMetadata(id, number(row, 'context_id'), changes.metadata)
    }
    return isUpdated
  }

  async deleteOfContext(contextId: number, deleted: string): Promise<void> {
    // The versions of a context of 100,000 documents take 3 s, and several times as long on a slow server.
    await patiently(async () => await this.rows.where('context_id', contextId).whereNull('deleted').update({ deleted }))
  }

  async listUnfinished(): Promise<readonly DocumentRecord[]> {
    return await this.#listAll(() =>
      this.rows.whereNull('completed').whereNull('error').whereNull('deleted').whereNull('generation'),
    )
  }

  async listDeleted(
    contextId?: number,
  ): Promise<readonly Pick<DocumentRecord, 'id' | 'uuid' | 'contextId' | 'generation'>[]> {
    const rows = await readAllPages(async (last, limit) => {
      const page = this.rows.whereNotNull('deleted').orderBy('id').limit(limit)
      if (contextId !== undefined) void page.where('context_id', contextId)
      if (last !== undefined) void page.where('id', '>', number(last, 'id'))
      return await page.select('id', 'uuid', 'context_id', 'generation')
    })
    return rows.map((row) => ({
      id: number(row, 'id'),
      uuid: text(row, 'uuid'),
      contextId: number(row, 'context_id'),
      generation: numberOrNull(row, 'generation'),
    }))
  }

  async filesInUse(uuids: readonly string[]): Promise<ReadonlySet<string>> {
    const inUse = new Set<string>()
    for (const part of inParts(uuids)) {
      const rows = await this.rows.whereIn('uuid', part).whereNull('deleted').select('uuid')
      for (const row of rows) inUse.add(text(row, 'uuid'))
    }
    return inUse
  }

  async searchable(contextId: number, words?: WordVisibility): Promise<SearchableVersions> {
    return await readSearchableVersions(this.session, contextId, words)
  }

  async countStates(contextId: number, version: number): Promise<DocumentStateCounts> {
    const count = (condition: string, name: string) =>
      this.session.knex.raw(`coalesce(sum(case when ${condition} then 1 else 0 end), 0) as ${name}`)
    const isWaiting = 'completed is null and error is null'
    const hasWords = `words_version = ${version}`
    const [row = {}] = await this.#current(contextId).select<Row[]>([
      count('completed is not null', 'completed'),
      count(`completed is not null and ${hasWords}`, 'completed_with_words'),
      count(isWaiting, 'waiting'),
      count(`${isWaiting} and ${hasWords}`, 'waiting_with_words'),
      count('completed is null and error is not null', 'failed'),
    ])
    const completed = number(row, 'completed')
    return {
      completed,
      completedWithoutWords: completed - number(row, 'completed_with_words'),
      waiting: number(row, 'waiting'),
      waitingWithWords: number(row, 'waiting_with_words'),
      failed: number(row, 'failed'),
    }
  }

  async countLanguages(contextId: number): Promise<readonly LanguageCount[]> {
    const { knex, dialect } = this.session
    const member = (...path: string[]): string => dialect.jsonMember('receipt', path)
    const sumOf = (value: string, name: string) =>
      knex.raw(`coalesce(sum(cast(${value} as double precision)), 0) as ${name}`)
    const rows = await this.#current(contextId)
      .whereNotNull('completed')
      .whereNotNull('receipt')
      .select<Row[]>([
        knex.raw(`${member('language')} as language`),
        knex.raw('count(*) as documents'),
        sumOf(member('windows'), 'windows'),
        sumOf(member('durationsMs', 'embed'), 'embed_ms'),
      ])
      .groupByRaw(member('language'))
    return rows.map((row) => ({
      language: textOrNull(row, 'language'),
      documents: number(row, 'documents'),
      windows: number(row, 'windows'),
      embedMs: number(row, 'embed_ms'),
    }))
  }

  async lastId(): Promise<number> {
    const [row = {}] = await this.rows.max({ last_id: 'id' })
    return numberOrNull(row, 'last_id') ?? 0
  }

  async hasNewVersions(contextId: number, { lastId, replacements, generation }: VersionMark): Promise<boolean> {
    const table = quoted(this.session.name('documents'))
    const isNew = `context_id = ? and ${IS_LATER} and replaces is null and completed is not null`
    const rows = await this.rawRows(
      `select generation, 0 as newer from ${this.#contexts} where id = ?
       union all select 0, 1 where exists (select 1 from ${table} where ${isNew} and id > ?)`,
      [contextId, contextId, lastId],
    )
    const [context, newer] = [0, 1].map((kind) => rows.find((row) => number(row, 'newer') === kind))
    if ((context === undefined ? -1 : number(context, 'generation')) !== generation || newer !== undefined) return true
    for (const part of inParts(replacements)) {
      const marks = part.map(() => '?').join()
      const completed = `select id from ${table} where ${isNew} and id in (${marks}) limit 1`
      if ((await this.rawRows(completed, [contextId, ...part])).length > 0) return true
    }
    return false
  }

  async listWithoutWords(contextId: number, version: number, page: Page): Promise<readonly number[]> {
    const otherVersions = this.session.knex.union(selectOtherWords(this.session, contextId, version))
    const rows = this.#current(contextId).whereNotNull('completed').whereIn('id', otherVersions)
    return await this.idsOf(rows, page)
  }

  async listIds(contextId: number, page: Page): Promise<readonly number[]> {
    return await this.idsOf(this.rows.where('context_id', contextId), page)
  }

  async find(ids: readonly number[]): Promise<readonly DocumentRecord[]> {
    const found: DocumentRecord[] = []
    for (const part of inParts([...ids].sort((one, other) => one - other)))
      found.push(...(await this.rows.whereIn('id', part).orderBy('id').select()).map(DOCUMENT.toRecord))
    return found
  }

  async existing(ids: readonly number[]): Promise<ReadonlySet<number>> {
    const found = new Set<number>()
    for (const part of inParts(ids)) {
      for (const row of await this.rows.whereIn('id', part).select('id')) found.add(number(row, 'id'))
    }
    return found
  }

  async remove(ids: readonly number[]): Promise<void> {
    for (const part of inParts(ids)) {
      await removeMetadata(this.session, part)
      await this.rows.whereIn('id', part).delete()
    }
  }

  /** The columns of the names of a version that gets another name. */
  async #namedRow(id: number, changes: Partial<DocumentNames>): Promise<Row> {
    const [row] = await this.rows.where('id', id).select('original_name', 'name_index', 'display_name')
    if (row === undefined) return {}
    return toNameColumns({
      originalName: changes.originalName ?? text(row, 'original_name'),
      nameIndex: changes.nameIndex ?? number(row, 'name_index'),
      // Null is a change: no name is given any more.
      displayName: changes.displayName === undefined ? textOrNull(row, 'display_name') : changes.displayName,
    })
  }

  async #replaceMetadata(id: number, contextId: number, metadata: DocumentMetadata): Promise<void> {
    await removeMetadata(this.session, [id])
    await insertMetadata(this.session, { id, contextId }, metadata)
  }

  get #contexts(): string {
    return quoted(this.session.name('contexts'))
  }

  #current(contextId: number): KnexRepository['rows'] {
    return this.rows.where('context_id', contextId).whereRaw(IS_CURRENT)
  }

  async #listAll(
    buildQuery: () => KnexRepository['rows'],
    key: 'id' | 'public_id' = 'id',
  ): Promise<readonly DocumentRecord[]> {
    const rows = await readAllPages(async (last, limit) => {
      const page = buildQuery().orderBy(key).limit(limit)
      return await (last === undefined ? page : page.where(key, '>', number(last, key))).select()
    })
    return rows.map(DOCUMENT.toRecord)
  }
}
