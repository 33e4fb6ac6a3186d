import type { Knex } from 'knex'
import {
  type ContextFilter,
  type ContextGenerations,
  type ContextHandOver,
  type ContextRecord,
  type ContextReindexing,
  type ContextRepository,
  type ContextSize,
  type ContextsSize,
  type Page,
  type RowPage,
  SEARCH_MODES,
} from '../../../src/ports/index.js'
import { BOOLEAN, Columns, INTEGER, jsonColumn, jsonOrNullColumn, TEXT, TEXT_OR_NULL } from '../columns.js'
import { jsonOrNull, number, type Row } from '../tables.js'
import { KnexRepository, type Session } from './knex-repository.js'

type Changes = Partial<Omit<ContextRecord, 'id'>>

/** Text columns that a user may make large. */
const LARGE_COLUMNS = ['description', 'caption', 'tools_json', 'starter_prompts']
const WITHOUT_TEXTS = { description: '', caption: '', toolsJson: '[]', starterPrompts: [] }

const CONTEXT = new Columns<ContextRecord>({
  id: INTEGER,
  accountId: INTEGER,
  userId: INTEGER,
  name: TEXT,
  description: TEXT,
  caption: TEXT,
  toolsJson: TEXT,
  starterPrompts: jsonColumn(),
  embeddingModel: TEXT,
  maxSizeBytes: INTEGER,
  topN: INTEGER,
  scoreThreshold: INTEGER,
  chunkSizeTokens: INTEGER,
  overlap: INTEGER,
  shareState: { read: (row, column) => (number(row, column) === 1 ? 1 : 0) },
  searchMode: { read: (row, column) => SEARCH_MODES.find((mode) => mode === row[column]) ?? 'hybrid' },
  findsEarly: BOOLEAN,
  icon: TEXT_OR_NULL,
  generation: INTEGER,
  lastGeneration: INTEGER,
  reindexing: jsonOrNullColumn(),
  created: TEXT,
  deleted: TEXT_OR_NULL,
})

export class KnexContextRepository extends KnexRepository implements ContextRepository {
  constructor(session: Session) {
    super(session, 'contexts')
  }

  async insert(context: Omit<ContextRecord, 'id'>): Promise<ContextRecord> {
    return { id: await this.insertRow(CONTEXT.toRow(context)), ...context }
  }

  async get(id: number): Promise<ContextRecord | undefined> {
    const row = await this.getRow(id)
    return row?.['deleted'] === null ? CONTEXT.toRecord(row) : undefined
  }

  async generations(id: number): Promise<ContextGenerations | undefined> {
    const [row] = await this.rows.where('id', id).whereNull('deleted').select('generation', 'reindexing')
    return row && toGenerations(row)
  }

  async lock(id: number): Promise<void> {
    if (this.session.dialect.hasOneWriter) return
    // This lock allows other transactions to insert references to the row, which do not change it.
    await this.rows.where('id', id).forNoKeyUpdate().select('id')
  }

  async list(filter: ContextFilter, page?: RowPage): Promise<readonly ContextRecord[]> {
    return (await this.pageOf(() => this.#live(filter), page, LARGE_COLUMNS)).map(CONTEXT.toRecord)
  }

  async listIds(filter: ContextFilter, page: Page): Promise<readonly number[]> {
    return await this.idsOf(this.#live(filter), page)
  }

  async count(companyId: number): Promise<number> {
    return await this.countOf(this.rows.whereIn('account_id', this.#accountsOf(companyId)).whereNull('deleted'))
  }

  async measure(companyId: number, most: number): Promise<ContextsSize> {
    const { knex, name } = this.session
    // A join, so that SQLite takes the index with the sizes.
    const sizes = () =>
      knex({ context: name('contexts') })
        .join({ document: name('documents') }, 'document.context_id', 'context.id')
        .whereIn('context.account_id', this.#accountsOf(companyId))
        .whereNull('context.deleted')
        .whereNull('document.deleted')
        .whereNull('document.replaces')
        .groupBy('context.id')
        .select(
          { id: 'context.id' },
          knex.raw('count(*) as documents'),
          knex.raw('sum(document.size_bytes + document.excess_bytes) as bytes'),
        )
    const [total] = await knex
      .from(sizes().as('sizes'))
      .select<Row[]>(knex.raw('sum(documents) as documents'), knex.raw('sum(bytes) as bytes'))
    const order = [{ column: 'bytes', order: 'desc' }, { column: 'id' }]
    // Only the rows of these contexts are read: each may have a megabyte of texts.
    const first = knex.from(sizes().as('sizes')).select('*').orderBy(order).limit(most)
    const largest = await knex
      .from(first.as('first'))
      .join({ context: name('contexts') }, 'context.id', 'first.id')
      .orderBy([{ column: 'first.bytes', order: 'desc' }, { column: 'first.id' }])
      .select<Row[]>(
        'context.id',
        'context.account_id',
        'context.user_id',
        'context.max_size_bytes',
        'first.documents',
        'first.bytes',
      )
    return {
      documents: Number(total?.['documents'] ?? 0),
      sizeBytes: Number(total?.['bytes'] ?? 0),
      largest: largest.map(toSize),
    }
  }

  async update(id: number, changes: Omit<Changes, 'accountId'>): Promise<ContextRecord | undefined> {
    const row = CONTEXT.toRow(changes)
    if (Object.keys(row).length > 0) await this.rows.where('id', id).whereNull('deleted').update(row)
    return await this.get(id)
  }

  async deleteMadeBy(userId: number, deleted: string): Promise<readonly Pick<ContextRecord, 'id' | 'accountId'>[]> {
    // SQLite rewrites the whole row, which is small without its texts.
    const rows: Row[] = await this.rows
      .where('user_id', userId)
      .whereNull('deleted')
      .update({ ...CONTEXT.toRow(WITHOUT_TEXTS), deleted })
      .returning(['id', 'account_id'])
    const ids = rows.map((row) => ({ id: number(row, 'id'), accountId: number(row, 'account_id') }))
    return ids.sort((one, other) => one.id - other.id)
  }

  async listAccountsOf(userId: number): Promise<readonly number[]> {
    const accounts = this.rows.where('user_id', userId).whereNull('deleted').distinct('account_id')
    return (await accounts.orderBy('account_id')).map((row) => number(row, 'account_id'))
  }

  async handOver(
    { accountId, fromUserId, toUserId }: ContextHandOver,
    { after, limit }: Page,
  ): Promise<readonly number[]> {
    const next = this.rows
      .where({ account_id: accountId, user_id: fromUserId })
      .whereNull('deleted')
      .where('id', '>', after)
    const rows: Row[] = await this.rows
      .whereIn('id', next.orderBy('id').limit(limit).select('id'))
      .update({ user_id: toUserId })
      .returning('id')
    return rows.map((row) => number(row, 'id')).sort((one, other) => one - other)
  }

  async isDeleted(id: number): Promise<boolean> {
    return (await this.rows.where('id', id).whereNotNull('deleted').select('id')).length > 0
  }

  async listDeleted(): Promise<readonly number[]> {
    return (await this.rows.whereNotNull('deleted').orderBy('id').select('id')).map((row) => number(row, 'id'))
  }

  async listWithoutWords(version: number): Promise<readonly number[]> {
    const { knex, name } = this.session
    // Each condition is one lookup in the index of versions.
    const completedDocuments = () =>
      knex({ document: name('documents') })
        .whereRaw('"document"."context_id" = "context"."id"')
        .whereNotNull('document.completed')
        .whereNull('document.deleted')
        .whereNull('document.generation')
        .select('document.id')
    const rows = await knex<Row>({ context: name('contexts') })
      .whereNull('context.deleted')
      .where((either) => {
        void either
          .whereExists(completedDocuments().whereNull('document.words_version'))
          .orWhereExists(completedDocuments().where('document.words_version', '<', version))
          .orWhereExists(completedDocuments().where('document.words_version', '>', version))
      })
      .orderBy('context.id')
      .select<Row[]>('context.id')
    return rows.map((row) => number(row, 'id'))
  }

  async page({ after, limit }: Page): Promise<readonly ContextRecord[]> {
    return (await this.rows.where('id', '>', after).orderBy('id').limit(limit).select()).map(CONTEXT.toRecord)
  }

  async remove(id: number): Promise<void> {
    await this.rows.where('id', id).delete()
  }

  #accountsOf(companyId: number): Knex.QueryBuilder {
    const { knex, name } = this.session
    return knex(name('accounts')).where('company_id', companyId).whereNull('deleted').select('id')
  }

  #live({ accountId, visibleTo }: ContextFilter): Knex.QueryBuilder<Row, Row[]> {
    const rows = this.rows.whereNull('deleted').where('account_id', accountId)
    if (visibleTo === undefined) return rows
    return rows.where((either) => void either.where('user_id', visibleTo).orWhere('share_state', 1))
  }
}

function toSize(row: Row): ContextSize {
  return {
    id: number(row, 'id'),
    accountId: number(row, 'account_id'),
    userId: number(row, 'user_id'),
    maxSizeBytes: number(row, 'max_size_bytes'),
    documents: number(row, 'documents'),
    sizeBytes: number(row, 'bytes'),
  }
}

function toGenerations(row: Row): ContextGenerations {
  return {
    generation: number(row, 'generation'),
    reindexing: jsonOrNull(row, 'reindexing') as ContextReindexing | null,
  }
}
