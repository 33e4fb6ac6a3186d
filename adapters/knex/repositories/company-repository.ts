import type { Knex } from 'knex'
import type { CompanyRecord, CompanyRepository } from '../../../src/ports/index.js'
import { boolean, number, numberOrNull, type Row, text } from '../rows.js'
import { KnexRepository, type Session } from './base.js'

/** Ids in one statement, which both databases accept. */
const MAX_PARAMETERS = 500

export class KnexCompanyRepository extends KnexRepository implements CompanyRepository {
  constructor(session: Session) {
    super(session, 'companies')
  }

  async insert(company: Omit<CompanyRecord, 'id' | 'isDisabled'>): Promise<CompanyRecord> {
    const { name, parentId, created } = company
    return { id: await this.insertRow({ name, parent_id: parentId, created }), ...company, isDisabled: false }
  }

  async get(id: number): Promise<CompanyRecord | undefined> {
    const row = await this.getRow(id)
    return row?.['deleted'] === null ? toCompany(row) : undefined
  }

  async list(): Promise<readonly CompanyRecord[]> {
    return (await this.#live.orderBy('id').select()).map(toCompany)
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
    return (await this.#live.where('id', id).update({ is_disabled: isDisabled })) > 0
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
}

function toCompany(row: Row): CompanyRecord {
  return {
    id: number(row, 'id'),
    name: text(row, 'name'),
    parentId: numberOrNull(row, 'parent_id'),
    created: text(row, 'created'),
    isDisabled: boolean(row, 'is_disabled'),
  }
}
