import type { CompanyRecord, CompanyRepository } from '../../../src/ports/index.js'
import { number, numberOrNull, type Row, text } from '../rows.js'
import { KnexRepository, type Session } from './base.js'

export class KnexCompanyRepository extends KnexRepository implements CompanyRepository {
  constructor(session: Session) {
    super(session, 'companies')
  }

  async insert(company: Omit<CompanyRecord, 'id'>): Promise<CompanyRecord> {
    const { name, parentId, created } = company
    return { id: await this.insertRow({ name, parent_id: parentId, created }), ...company }
  }

  async get(id: number): Promise<CompanyRecord | undefined> {
    const row = await this.getRow(id)
    return row && toCompany(row)
  }

  async list(): Promise<readonly CompanyRecord[]> {
    return (await this.rows.orderBy('id').select()).map(toCompany)
  }

  async isWithin(id: number, ancestorId: number): Promise<boolean> {
    const companies = this.session.name('companies')
    // The id alone, and UNION: rows seen before end the recursion, so a cycle does too.
    const { knex } = this.session
    const found = await knex
      .withRecursive('above', (query) => {
        void query
          .select('id', 'parent_id')
          .from(companies)
          .where('id', id)
          .union((above) => {
            void above
              .select('next.id', 'next.parent_id')
              .from({ next: companies })
              .join('above', 'next.id', 'above.parent_id')
          })
      })
      .from('above')
      .where('id', ancestorId)
      .select<Row[]>('id')
    return found.length > 0
  }

  async setParent(id: number, parentId: number): Promise<void> {
    await this.updateRow(id, { parent_id: parentId })
  }
}

function toCompany(row: Row): CompanyRecord {
  return {
    id: number(row, 'id'),
    name: text(row, 'name'),
    parentId: numberOrNull(row, 'parent_id'),
    created: text(row, 'created'),
  }
}
