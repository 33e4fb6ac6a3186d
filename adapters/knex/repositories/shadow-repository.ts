import type {
  DocumentRecord,
  ReindexProgress,
  ShadowRepository,
  SwitchedVersions,
  UncompletedShadow,
} from '../../../src/ports/index.js'
import { patiently } from '../../node-kit/index.js'
import {
  IS_CURRENT,
  IS_FORMER,
  IS_HIDDEN,
  IS_REPLACEMENT,
  IS_SHADOW,
  IS_UNCOMPLETED_SHADOW,
} from '../migrations/0001-initial-documents.js'
import { number, numberOrNull, quoted, type Row, text, textOrNull } from '../tables.js'
import { inParts, KnexRepository, readAllPages, type Session } from './knex-repository.js'

/** Columns that a shadow has from the version that it stands for. */
const COPIED_COLUMNS = [
  'uuid',
  'context_id',
  'public_id',
  'original_name',
  'name_index',
  'display_name',
  'folded_name',
  'folded_original',
  'content_type',
  'content_hash',
  'size_bytes',
  'excess_bytes',
  'created',
  'created_by',
].join()

/** Columns that may change during a re-index. */
const CHANGING_COLUMNS = ['original_name', 'name_index', 'display_name', 'folded_name', 'folded_original', 'metadata']

const PAIRS_PER_STATEMENT = 500

/** A shadow and the version that it stands for. */
interface Pair {
  readonly shadow: number
  readonly version: number
  readonly generation: number
  readonly isDone: boolean
}

export class KnexShadowRepository extends KnexRepository implements ShadowRepository {
  constructor(session: Session) {
    super(session, 'documents')
  }

  async insert(contextId: number, generation: number, limit: number): Promise<readonly number[]> {
    const [last] = await this.#shadows(contextId).where('generation', generation).max({ id: 'replaces' })
    // Shadows are added in the order of the versions, so the versions behind the last one have none.
    const behind = this.#completed(contextId).where('id', '>', Number(last?.id ?? 0))
    const next = ids(await behind.orderBy('id').limit(limit).select('id'))
    const lacking = next.length === limit ? next : (await this.#lackingVersions(contextId, () => true)).slice(0, limit)
    const added: number[] = []
    for (const part of inParts(lacking)) added.push(...(await this.#insertFor(part, generation)))
    return added
  }

  async #insertFor(versionIds: readonly number[], generation: number): Promise<number[]> {
    const rows = await this.rawRows(
      `insert into ${this.#table} (${COPIED_COLUMNS}, replaces, generation, chunk_count)
       select ${COPIED_COLUMNS}, id, cast(? as bigint), 0 from ${this.#table}
       where id in (${versionIds.map(() => '?').join()}) and ${IS_CURRENT}
       order by id returning id`,
      [generation, ...versionIds],
    )
    return ids(rows)
  }

  /**
   * The completed versions of a context without a shadow that counts. Two lists are compared here, because a statement
   * that joins them is slow on PostgreSQL while its statistics are older than the shadows.
   */
  async #lackingVersions(contextId: number, counts: (pair: Pair) => boolean): Promise<number[]> {
    const shaded = new Set((await this.#pairs(contextId)).filter(counts).map(({ version }) => version))
    const versions = await this.#readAll(() => this.#completed(contextId), 'public_id', ['id', 'public_id'])
    return ids(versions).filter((id) => !shaded.has(id))
  }

  /** The shadows of a context, each with the version that it stands for. */
  async #pairs(contextId: number): Promise<readonly Pair[]> {
    const columns = ['id', 'replaces', 'generation', 'completed']
    const rows = await this.#readAll(() => this.#shadows(contextId), 'id', columns)
    return rows.map((row) => ({
      shadow: number(row, 'id'),
      version: number(row, 'replaces'),
      generation: number(row, 'generation'),
      isDone: row['completed'] !== null,
    }))
  }

  async listUncompleted(contextId: number): Promise<readonly UncompletedShadow[]> {
    const rows = await this.rows
      .where('context_id', contextId)
      .whereRaw(IS_UNCOMPLETED_SHADOW)
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
    return Number((await this.#completed(contextId).sum({ chunks: 'chunk_count' }))[0]?.chunks ?? 0)
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
    // Each statement changes all documents of the context.
    return await patiently(async () => await this.#switch(contextId, { from, to }, switched))
  }

  async #switch(
    contextId: number,
    { from, to }: { readonly from: number; readonly to: number },
    switched: string,
  ): Promise<SwitchedVersions | undefined> {
    await this.#resetUncompleted(contextId)
    // From here on, no version of the context can be completed before this transaction ends: its row is locked.
    const isReady = ({ generation, isDone }: Pair) => generation === to && isDone
    if ((await this.#lackingVersions(contextId, isReady)).length > 0) return undefined
    await this.#replaceVersions(contextId, { from, to }, switched)
    // Their documents were deleted or replaced meanwhile. Their data is in the generation that becomes the present one.
    const left = this.rows.where({ context_id: contextId, generation: to })
    const purged = await left
      .update({ generation: null, deleted: this.session.knex.raw('coalesce(deleted, ?)', [switched]) })
      .returning('id')
    const unprocessed = await this.#uncompleted(contextId).whereNull('error').orderBy('id').select('id')
    return { unprocessed: ids(unprocessed), purged: ids(purged) }
  }

  /** Takes back what was processed of the versions that are not completed: it belongs to the former generation. */
  async #resetUncompleted(contextId: number): Promise<void> {
    const unprocessed = { words_version: null, embedded_chunks: 0 }
    await this.#uncompleted(contextId)
      .whereNull('error')
      .update({ ...unprocessed, started: null })
    await this.#uncompleted(contextId).whereNotNull('error').update(unprocessed)
  }

  /** Makes each completed shadow of a current version the current version. */
  async #replaceVersions(
    contextId: number,
    { from, to }: { readonly from: number; readonly to: number },
    switched: string,
  ): Promise<void> {
    const pairs = (await this.#pairs(contextId)).filter(({ generation, isDone }) => generation === to && isDone)
    const shadowOf = new Map(pairs.map(({ version, shadow }) => [version, shadow]))
    const replacements = this.rows.where('context_id', contextId).whereRaw(IS_REPLACEMENT)
    const replacing = (await replacements.select('id', 'replaces')).flatMap((row) => {
      const shadow = shadowOf.get(number(row, 'replaces'))
      return shadow === undefined ? [] : [{ id: number(row, 'id'), replaces: shadow }]
    })
    await this.updateEach({ replaces: 'bigint' }, replacing)
    const { ids: idList, bindIds } = this.session.dialect
    const replaced = await this.rawRows(
      `update ${this.#table} set deleted = ?, generation = ? where ${IS_CURRENT} and id in ${idList} returning id`,
      [switched, from, bindIds([...shadowOf.keys()])],
    )
    // The versions are locked now: metadata that another transaction has added until then moves too.
    for (let at = 0; at < pairs.length; at += PAIRS_PER_STATEMENT)
      await this.#moveMetadata(pairs.slice(at, at + PAIRS_PER_STATEMENT))
    // Without the shadows of versions that another transaction has deleted before the last statement.
    const current = ids(replaced).flatMap((version) => shadowOf.get(version) ?? [])
    const columns = CHANGING_COLUMNS.join()
    // Without further conditions: PostgreSQL would expect one row, and compare each shadow with each id.
    await this.session.knex.raw(
      `update ${this.#table} set replaces = null, generation = null, (${columns}) = (
         select ${columns} from ${this.#table} as version where version.id = ${this.#table}.replaces
       ) where id in ${idList}`,
      [bindIds(current)],
    )
  }

  /** Ids are written into the statement: hundreds of bindings cost more than the rows themselves. */
  async #moveMetadata(pairs: readonly Pair[]): Promise<void> {
    const metadata = quoted(this.session.name('metadata'))
    const values = pairs.map(({ version, shadow }) => `(${version}, ${shadow})`)
    await this.session.knex.raw(
      `with pair(version, shadow) as (values ${values.join()})
       update ${metadata} set document_id = pair.shadow from pair where ${metadata}.document_id = pair.version`,
    )
  }

  async #readAll(
    buildQuery: () => KnexRepository['rows'],
    key: string,
    columns: readonly string[],
  ): Promise<readonly Row[]> {
    return await readAllPages(async (last, limit) => {
      const page = buildQuery().orderBy(key).limit(limit)
      return await (last === undefined ? page : page.where(key, '>', number(last, key))).select([...columns])
    })
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
