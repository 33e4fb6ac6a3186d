import type {
  DocumentRecord,
  ReindexProgress,
  ShadowRepository,
  SwitchedVersions,
  UncompletedShadow,
} from '../../../src/ports/index.js'
import { IS_CURRENT, IS_FORMER, IS_HIDDEN, IS_SHADOW } from '../migrations/0002-living-documents.js'
import { number, numberOrNull, quoted, type Row, text, textOrNull } from '../tables.js'
import { inParts, KnexRepository, type Session } from './knex-repository.js'

/** Columns that a shadow has from the version that it stands for. */
const COPIED_COLUMNS = [
  'uuid',
  'context_id',
  'public_id',
  'original_name',
  'name_index',
  'display_name',
  'content_type',
  'content_hash',
  'size_bytes',
  'created',
  'created_by',
].join()

/** Columns that may change during a re-index. */
const CHANGING_COLUMNS = ['original_name', 'name_index', 'display_name', 'metadata']

export class KnexShadowRepository extends KnexRepository implements ShadowRepository {
  constructor(session: Session) {
    super(session, 'documents')
  }

  async insert(contextId: number, generation: number, limit: number): Promise<readonly number[]> {
    const [last] = await this.#shadows(contextId).where('generation', generation).max({ id: 'replaces' })
    // Shadows are added in the order of the versions, so the versions behind the last one are looked at first.
    const added = await this.#insertAfter(contextId, generation, Number(last?.['id'] ?? 0), limit)
    if (added.length >= limit) return added
    return [...added, ...(await this.#insertAfter(contextId, generation, 0, limit - added.length))]
  }

  async #insertAfter(contextId: number, generation: number, after: number, limit: number): Promise<number[]> {
    const rows = await this.rawRows(
      `insert into ${this.#table} (${COPIED_COLUMNS}, replaces, generation, chunk_count)
       select ${COPIED_COLUMNS}, id, cast(? as bigint), 0 from ${this.#table} as version
       where context_id = ? and ${IS_CURRENT} and completed is not null and id > ?
       and not exists (select 1 from ${this.#table} as shadow where replaces = version.id and ${IS_SHADOW})
       order by id limit ? returning id`,
      [generation, contextId, after, limit],
    )
    return ids(rows)
  }

  async listUncompleted(contextId: number): Promise<readonly UncompletedShadow[]> {
    const rows = await this.#shadows(contextId)
      .whereNull('completed')
      .orderBy('id')
      .select('id', 'generation', 'original_name', 'error')
    return rows.map((row) => ({
      id: number(row, 'id'),
      generation: numberOrNull(row, 'generation'),
      originalName: text(row, 'original_name'),
      error: textOrNull(row, 'error'),
    }))
  }

  async shadowsOf(versionIds: readonly number[]): Promise<readonly number[]> {
    const found: number[] = []
    for (const part of inParts(versionIds)) {
      found.push(...ids(await this.rows.whereIn('replaces', part).whereRaw(IS_SHADOW).select('id')))
    }
    return found.sort((one, other) => one - other)
  }

  async progress(contextId: number, generation: number): Promise<ReindexProgress> {
    const done = this.#shadows(contextId).where('generation', generation).whereNotNull('completed')
    return { total: await this.countOf(this.#completed(contextId)), done: await this.countOf(done) }
  }

  async countChunks(contextId: number): Promise<number> {
    return Number((await this.#completed(contextId).sum({ chunks: 'chunk_count' }))[0]?.['chunks'] ?? 0)
  }

  async delete(
    contextId: number,
    {
      exceptGeneration,
      isFailed = false,
    }: { readonly exceptGeneration?: number | undefined; readonly isFailed?: boolean },
    deleted: string,
  ): Promise<number> {
    const shadows = this.#shadows(contextId)
    if (exceptGeneration !== undefined) void shadows.whereNot('generation', exceptGeneration)
    if (isFailed) void shadows.whereNotNull('error')
    return await shadows.update({ deleted })
  }

  async switch(
    contextId: number,
    { from, to }: { readonly from: number; readonly to: number },
    switched: string,
  ): Promise<SwitchedVersions | undefined> {
    await this.#resetUncompleted(contextId)
    // From here on, no version of the context can be completed before this transaction ends: its row is locked.
    if (await this.#isIncomplete(contextId, to)) return undefined
    await this.#replaceVersions(contextId, { from, to }, switched)
    // Their documents were deleted or replaced meanwhile. Their data is in the generation that becomes the present one.
    const left = this.rows.where({ context_id: contextId, generation: to })
    const purged = await left
      .update({ generation: null, deleted: this.session.knex.raw('coalesce(deleted, ?)', [switched]) })
      .returning('id')
    const unprocessed = await this.#uncompleted(contextId).whereNull('error').orderBy('id').select('id')
    return { unprocessed: ids(unprocessed), purged: ids(purged as Row[]) }
  }

  /** Takes back what was processed of the versions that are not completed: it belongs to the former generation. */
  async #resetUncompleted(contextId: number): Promise<void> {
    const unprocessed = { words_version: null, embedded_chunks: 0 }
    await this.#uncompleted(contextId)
      .whereNull('error')
      .update({ ...unprocessed, started: null })
    await this.#uncompleted(contextId).whereNotNull('error').update(unprocessed)
  }

  async #isIncomplete(contextId: number, generation: number): Promise<boolean> {
    const without = await this.rawRows(
      `select id from ${this.#table} as version
       where context_id = ? and ${IS_CURRENT} and completed is not null and not exists (
         select 1 from ${this.#table} as shadow
         where replaces = version.id and ${IS_SHADOW} and generation = ? and completed is not null
       ) limit 1`,
      [contextId, generation],
    )
    return without.length > 0
  }

  /** Makes each completed shadow of a current version the current version. */
  async #replaceVersions(
    contextId: number,
    { from, to }: { readonly from: number; readonly to: number },
    switched: string,
  ): Promise<void> {
    const documents = this.#table
    const metadata = quoted(this.session.name('metadata'))
    const shadowsOfContext = `shadow.context_id = ? and shadow.deleted is null and shadow.generation = ?`
    await this.#run(
      `update ${documents} set deleted = ?, generation = ? where ${IS_CURRENT} and id in (
         select replaces from ${documents} as shadow where ${shadowsOfContext} and completed is not null
       )`,
      [switched, from, contextId, to],
    )
    const standsFor = (column: string): string =>
      `${shadowsOfContext} and shadow.replaces = ${column} and exists (
         select 1 from ${documents} as version where version.id = ${column} and deleted = ? and generation = ?
       )`
    await this.#run(
      `update ${documents} as replacement set replaces = shadow.id from ${documents} as shadow
       where replacement.context_id = ? and replacement.deleted is null and replacement.generation is null
       and replacement.replaces is not null and ${standsFor('replacement.replaces')}`,
      [contextId, contextId, to, switched, from],
    )
    await this.#run(
      `update ${metadata} as item set document_id = shadow.id from ${documents} as shadow
       where item.context_id = ? and ${standsFor('item.document_id')}`,
      [contextId, contextId, to, switched, from],
    )
    await this.#run(
      `update ${documents} as shadow set replaces = null, generation = null,
       ${CHANGING_COLUMNS.map((column) => `${column} = version.${column}`).join()}
       from ${documents} as version
       where ${shadowsOfContext} and version.id = shadow.replaces and version.deleted = ? and version.generation = ?`,
      [contextId, to, switched, from],
    )
  }

  async listDeleted(
    contextId: number,
    { limit, exceptGeneration }: { readonly limit: number; readonly exceptGeneration?: number | undefined },
  ): Promise<readonly Pick<DocumentRecord, 'id' | 'uuid'>[]> {
    const former = this.rows.where('context_id', contextId).whereRaw(IS_FORMER)
    if (exceptGeneration !== undefined) void former.whereNot('generation', exceptGeneration)
    const rows = await former.orderBy('id').limit(limit).select('id', 'uuid')
    return rows.map((row) => ({ id: number(row, 'id'), uuid: text(row, 'uuid') }))
  }

  async listContexts(): Promise<readonly number[]> {
    const contexts = quoted(this.session.name('contexts'))
    const rows = await this.rawRows(
      `select id from ${contexts} where deleted is null and (reindexing is not null
       or id in (select context_id from ${this.#table} where ${IS_SHADOW})
       or id in (select context_id from ${this.#table} where ${IS_FORMER}))
       order by id`,
      [],
    )
    return ids(rows)
  }

  /** Runs a statement that returns no rows. */
  async #run(sql: string, bindings: readonly (string | number)[]): Promise<void> {
    await this.session.knex.raw(sql, [...bindings])
  }

  #completed(contextId: number): KnexRepository['rows'] {
    return this.rows.where('context_id', contextId).whereRaw(IS_CURRENT).whereNotNull('completed')
  }

  #shadows(contextId: number): KnexRepository['rows'] {
    return this.rows.where('context_id', contextId).whereRaw(IS_SHADOW)
  }

  /** Current versions and replacements that are not completed. */
  #uncompleted(contextId: number): KnexRepository['rows'] {
    return this.rows.where('context_id', contextId).whereRaw(IS_HIDDEN).whereNull('deleted')
  }

  get #table(): string {
    return quoted(this.session.name('documents'))
  }
}

/** In ascending order: a database returns changed rows in any order. */
function ids(rows: readonly Row[]): number[] {
  return rows.map((row) => number(row, 'id')).sort((one, other) => one - other)
}
