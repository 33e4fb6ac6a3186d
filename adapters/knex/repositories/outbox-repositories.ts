import type { Knex } from 'knex'
import {
  AlreadyExistsError,
  type DestinationRecord,
  type DestinationRepository,
  type DestinationVersion,
  type EventRecord,
  type EventRepository,
  errorReason,
  type Page,
  type RowPage,
} from '../../../src/ports/index.js'
import { Columns, columnOf, INTEGER, TEXT } from '../columns.js'
import { isUniqueViolation } from '../errors.js'
import { NAMES_DOCUMENTS } from '../migrations/0001-initial-events.js'
import { bytes, number, type Row } from '../tables.js'
import { ancestors } from './company-repositories.js'
import { DESTINATION } from './delivery-rows.js'
import { KnexRepository, type Session } from './knex-repository.js'

interface Filter {
  readonly companyId?: number
}

type Changes = Partial<Omit<DestinationRecord, 'id'>>

export class KnexDestinationRepository extends KnexRepository implements DestinationRepository {
  constructor(session: Session) {
    super(session, 'destinations')
  }

  async insert(destination: Omit<DestinationRecord, 'id'>): Promise<DestinationRecord> {
    return { id: await refuseDuplicates(() => this.insertRow(toRow(destination))), ...destination }
  }

  async get(id: number): Promise<DestinationRecord | undefined> {
    const row = (await this.#live.where('id', id).select())[0]
    return row && DESTINATION.toRecord(row)
  }

  async list(filter: Filter = {}, page?: RowPage): Promise<readonly DestinationRecord[]> {
    return (await this.pageOf(() => this.#filtered(filter), page, ['url', 'name', 'event_types'])).map(
      DESTINATION.toRecord,
    )
  }

  async listIds(filter: Filter, page: Page): Promise<readonly number[]> {
    return await this.idsOf(this.#filtered(filter), page)
  }

  async count(companyId: number): Promise<number> {
    return await this.countOf(this.#filtered({ companyId }))
  }

  async update(id: number, changes: Changes): Promise<boolean> {
    return await refuseDuplicates(async () => (await this.#live.where('id', id).update(toRow(changes))) > 0)
  }

  async isNamed(type: string, companyId?: number): Promise<boolean> {
    return (await this.#naming(type, companyId).limit(1).select('id')).length > 0
  }

  async listNaming(type: string, companyId: number): Promise<readonly DestinationRecord[]> {
    return (await this.#naming(type, companyId).orderBy('id').select()).map(DESTINATION.toRecord)
  }

  #naming(type: string, companyId?: number): Knex.QueryBuilder<Row, Row[]> {
    const named = type.startsWith(DOCUMENT_TYPES) ? this.rows.whereRaw(NAMES_DOCUMENTS) : this.#live
    if (companyId !== undefined) void whereGetsEventsOf(named, this.session, companyId)
    return whereNamed(named.whereNull('disabled_reason'), type)
  }

  async setIfNull(
    id: number,
    member: 'disabledReason' | 'failingSince' | 'failureReported',
    value: string,
    version?: DestinationVersion,
  ): Promise<boolean> {
    const column = columnOf(member)
    const rows = this.#live.where('id', id).whereNull(column)
    if (version !== undefined) {
      const { url, retry, updated } = version
      void rows.where({ url, retry, updated })
    }
    return (await rows.update({ [column]: value })) > 0
  }

  async removeExpiredSecrets({ now, limit }: { readonly now: string; readonly limit: number }): Promise<number> {
    const expired = this.rows
      .whereNotNull('previous_secret_expires')
      .where('previous_secret_expires', '<=', now)
      .limit(limit)
      .select('id')
    return await this.rows.whereIn('id', expired).update(NO_PREVIOUS_SECRET)
  }

  async remove(id: number, removed: string): Promise<boolean> {
    return (await this.#live.where('id', id).update({ deleted: removed, sealed_secret: '', ...NO_PREVIOUS_SECRET })) > 0
  }

  async idsOfCompany(companyId: number): Promise<readonly number[]> {
    return (await this.rows.where('company_id', companyId).orderBy('id').select('id')).map((row) => number(row, 'id'))
  }

  async deleteOfCompany(companyId: number): Promise<void> {
    await this.rows.where('company_id', companyId).delete()
  }

  #filtered({ companyId }: Filter): Knex.QueryBuilder<Row, Row[]> {
    return companyId === undefined ? this.#live : this.#live.where('company_id', companyId)
  }

  get #live(): Knex.QueryBuilder<Row, Row[]> {
    return this.rows.whereNull('deleted')
  }
}

async function refuseDuplicates<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw new AlreadyExistsError(
      'the company has a destination with this URL already',
      errorReason('destination-url-taken'),
      { cause: error },
    )
  }
}

/** The beginning of the types whose destinations `names_documents` marks. */
const DOCUMENT_TYPES = 'document.'

const NO_PREVIOUS_SECRET = { previous_sealed_secret: null, previous_secret_expires: null }

/** Selects the destinations that name a type. A type has no `%` and no `\\`; its `_` must stand for itself alone. */
export function whereNamed<Query extends Knex.QueryBuilder>(query: Query, type: string): Query {
  const pattern = `%${JSON.stringify(type).replaceAll('_', '\\_')}%`
  void query.whereRaw(`event_types like ? escape '\\'`, [pattern])
  return query
}

/** Selects the destinations that get the events of a company: its own, and those of companies above that include it. */
export function whereGetsEventsOf<Query extends Knex.QueryBuilder>(
  query: Query,
  session: Session,
  companyId: number,
): Query {
  void query.whereNotIn('company_id', disabledCompanyIds(session)).where((either) => {
    void either.where('company_id', companyId).orWhere((above) => {
      void above.where('include_descendants', true).whereIn('company_id', ancestors(session, companyId))
    })
  })
  return query
}

/** Selects the ids of disabled companies: their destinations get no deliveries. A deleted company is disabled too. */
export function disabledCompanyIds({ knex, name }: Session): Knex.QueryBuilder {
  return knex.from(name('companies')).where('is_disabled', true).select('id')
}

function toRow(changes: Changes): Row {
  const { eventTypes } = changes
  const namesDocuments = eventTypes?.some((type) => type.startsWith(DOCUMENT_TYPES)) ?? false
  return { ...DESTINATION.toRow(changes), ...(eventTypes !== undefined && { names_documents: namesDocuments }) }
}

const EVENT = new Columns<EventRecord>({
  id: INTEGER,
  eventId: TEXT,
  companyId: INTEGER,
  type: TEXT,
  payload: { read: bytes, write: (payload) => Buffer.from(payload) },
  payloadHash: TEXT,
  created: TEXT,
})

export class KnexEventRepository extends KnexRepository implements EventRepository {
  constructor(session: Session) {
    super(session, 'events')
  }

  async insert(event: Omit<EventRecord, 'id'>): Promise<EventRecord> {
    return { id: await this.insertRow(EVENT.toRow(event)), ...event }
  }

  async get(id: number): Promise<EventRecord | undefined> {
    const row = await this.getRow(id)
    return row && EVENT.toRecord(row)
  }
}
