import type { Knex } from 'knex'
import type {
  AccountRecord,
  AccountRepository,
  CompanyRecord,
  CompanyRepository,
  Page,
  RegionRecord,
  RegionRepository,
  RowPage,
  SettingRepository,
  WithinFilter,
} from '../../../src/ports/index.js'
import { BOOLEAN, Columns, INTEGER, INTEGER_OR_NULL, TEXT } from '../columns.js'
import { number, type Row, text } from '../tables.js'
import { KnexRepository, type Session } from './knex-repository.js'

/** Ids in one statement, which both databases accept. */
const MAX_PARAMETERS = 500

const COMPANY = new Columns<CompanyRecord>({
  id: INTEGER,
  name: TEXT,
  parentId: INTEGER_OR_NULL,
  created: TEXT,
  isDisabled: BOOLEAN,
  loginEpoch: INTEGER,
})

export class KnexCompanyRepository extends KnexRepository implements CompanyRepository {
  constructor(session: Session) {
    super(session, 'companies')
  }

  async insert(company: Omit<CompanyRecord, 'id' | 'isDisabled' | 'loginEpoch'>): Promise<CompanyRecord> {
    const id = await this.insertRow(COMPANY.toRow(company))
    return { id, ...company, isDisabled: false, loginEpoch: 0 }
  }

  async get(id: number): Promise<CompanyRecord | undefined> {
    const row = await this.getRow(id)
    return row?.['deleted'] === null ? COMPANY.toRecord(row) : undefined
  }

  async list(filter: WithinFilter = {}, page?: RowPage): Promise<readonly CompanyRecord[]> {
    return (await this.pageOf(() => this.#filtered(filter), page)).map(COMPANY.toRecord)
  }

  async listIds(filter: WithinFilter, page: Page): Promise<readonly number[]> {
    return await this.idsOf(this.#filtered(filter), page)
  }

  async isWithin(id: number, ancestorId: number): Promise<boolean> {
    return (await this.within([id], ancestorId)).has(id)
  }

  async within(ids: readonly number[], ancestorId: number): Promise<ReadonlySet<number>> {
    const found = new Set<number>()
    for (let at = 0; at < ids.length; at += MAX_PARAMETERS) {
      for (const id of await this.#within(ids.slice(at, at + MAX_PARAMETERS), ancestorId)) found.add(id)
    }
    return found
  }

  async #within(ids: readonly number[], ancestorId: number): Promise<readonly number[]> {
    const companies = this.session.name('companies')
    // UNION removes rows that were found before, and only ids are selected. So a cycle ends the recursion.
    const rows: Row[] = await this.session.knex
      .withRecursive('above', ['start', 'id'], (query) => {
        void query
          .select({ start: 'id', id: 'id' })
          .from(companies)
          .whereIn('id', [...ids, ancestorId])
          .whereNull('deleted')
          .union((above) => {
            void above
              .select('above.start', 'next.parent_id')
              .from({ next: companies })
              .join('above', 'next.id', 'above.id')
              .whereNotNull('next.parent_id')
          })
      })
      .from('above')
      .join({ company: companies }, 'company.id', 'above.id')
      .where((either) => {
        void either.where('above.id', ancestorId).orWhereNull('company.parent_id')
      })
      .select({ start: 'above.start', id: 'above.id', parent_id: 'company.parent_id' })
    // A company in a cycle has no way up to a root, and so it manages no other company.
    const hasRoot = rows.some((row) => number(row, 'start') === ancestorId && row['parent_id'] === null)
    if (!hasRoot) return []
    const descendantIds = rows.filter((row) => number(row, 'id') === ancestorId).map((row) => number(row, 'start'))
    return ids.includes(ancestorId) ? descendantIds : descendantIds.filter((id) => id !== ancestorId)
  }

  async setParent(id: number, parentId: number): Promise<void> {
    await this.#live.where('id', id).update({ parent_id: parentId })
  }

  async setDisabled(id: number, isDisabled: boolean): Promise<boolean> {
    const login_epoch = this.session.knex.raw('login_epoch + 1')
    return (await this.#live.where('id', id).update({ is_disabled: isDisabled, login_epoch })) > 0
  }

  async remove(id: number, deleted: string): Promise<boolean> {
    return (await this.#live.where('id', id).update({ name: '', is_disabled: true, deleted })) > 0
  }

  async isDeleted(id: number): Promise<boolean> {
    return (await this.rows.where('id', id).whereNotNull('deleted').select('id')).length > 0
  }

  get #live(): Knex.QueryBuilder<Row, Row[]> {
    return this.rows.whereNull('deleted')
  }

  #filtered({ withinCompanyId }: WithinFilter): Knex.QueryBuilder<Row, Row[]> {
    if (withinCompanyId === undefined) return this.#live
    return this.#live.whereIn('id', descendants(this.session, withinCompanyId))
  }
}

export class KnexRegionRepository extends KnexRepository implements RegionRepository {
  constructor(session: Session) {
    super(session, 'regions')
  }

  async ensure(name: string): Promise<RegionRecord> {
    await this.rows.insert({ name }).onConflict('name').ignore()
    const row = (await this.rows.where('name', name).select())[0]
    return { id: number(row ?? {}, 'id'), name }
  }

  async list(): Promise<readonly RegionRecord[]> {
    const rows = await this.rows.orderBy('id').select()
    return rows.map((row) => ({ id: number(row, 'id'), name: text(row, 'name') }))
  }
}

const ACCOUNT = new Columns<AccountRecord>({
  id: INTEGER,
  companyId: INTEGER,
  application: TEXT,
  regionId: INTEGER,
  name: TEXT,
  isActive: BOOLEAN,
  created: TEXT,
})

export class KnexAccountRepository extends KnexRepository implements AccountRepository {
  constructor(session: Session) {
    super(session, 'accounts')
  }

  async insert(account: Omit<AccountRecord, 'id'>): Promise<AccountRecord> {
    const id = await this.insertRow(ACCOUNT.toRow(account))
    return { id, ...account }
  }

  async get(id: number): Promise<AccountRecord | undefined> {
    const row = await this.getRow(id)
    return row?.['deleted'] === null ? ACCOUNT.toRecord(row) : undefined
  }

  async list(filter: { readonly companyId?: number } = {}): Promise<readonly AccountRecord[]> {
    const query = this.rows.whereNull('deleted').orderBy('id')
    if (filter.companyId !== undefined) void query.where('company_id', filter.companyId)
    return (await query.select()).map(ACCOUNT.toRecord)
  }

  async setActive(id: number, isActive: boolean): Promise<boolean> {
    return (await this.rows.where('id', id).whereNull('deleted').update({ is_active: isActive })) > 0
  }

  async remove(id: number, deleted: string): Promise<boolean> {
    return (await this.rows.where('id', id).whereNull('deleted').update({ name: '', is_active: false, deleted })) > 0
  }

  async listIds(companyId: number): Promise<readonly number[]> {
    return (await this.rows.where('company_id', companyId).orderBy('id').select('id')).map((row) => number(row, 'id'))
  }
}

export class KnexSettingRepository extends KnexRepository implements SettingRepository {
  constructor(session: Session) {
    super(session, 'settings')
  }

  async get(key: string): Promise<string | undefined> {
    const row = (await this.rows.where('key', key).select())[0]
    return row && text(row, 'value')
  }

  async put(key: string, value: string): Promise<void> {
    await this.rows.insert({ key, value }).onConflict('key').merge()
  }
}

/** Selects the ids of the companies above one; none if there is a cycle above it. */
export function ancestors(session: Session, companyId: number): Knex.QueryBuilder {
  const { knex, name } = session
  const above = knex.select('parent_id').from(name('companies')).where('id', companyId).whereNotNull('parent_id')
  return pathToRoot(session, above)
}

/** Selects the ids of a company and of those below it; none if there is a cycle above it. */
export function descendants(session: Session, companyId: number): Knex.QueryBuilder {
  const { knex, name } = session
  const self = () => knex.select('id').from(name('companies')).where('id', companyId)
  return knex
    .withRecursive('below', ['id'], (query) => {
      void query
        .select('id')
        .from(self().whereIn('id', pathToRoot(session, self())).as('self'))
        .union((next) => {
          void next
            .select('company.id')
            .from({ company: name('companies') })
            .join('below', 'company.parent_id', 'below.id')
        })
    })
    .select('id')
    .from('below')
}

/** Selects the ids from the companies of a query up to the root; none if no root is reached. */
function pathToRoot({ knex, name }: Session, from: Knex.QueryBuilder): Knex.QueryBuilder {
  // UNION removes rows that were found before, and only ids are selected. So a cycle ends the recursion.
  return knex
    .withRecursive('above', ['id'], (query) => {
      void query
        .select('*')
        .from(from.as('start'))
        .union((next) => {
          void next
            .select('company.parent_id')
            .from({ company: name('companies') })
            .join('above', 'company.id', 'above.id')
            .whereNotNull('company.parent_id')
        })
    })
    .select('id')
    .from('above')
    .whereExists((root) => {
      void root
        .select(knex.raw('1'))
        .from({ root: name('companies') })
        .join({ way: 'above' }, 'way.id', 'root.id')
        .whereNull('root.parent_id')
    })
}
