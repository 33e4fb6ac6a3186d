import type { Knex } from 'knex'
import type { Session } from './base.js'

/** Ids of the companies above one. Ids alone, and UNION: a cycle ends the recursion. */
export function ancestors({ knex, name }: Session, companyId: number): Knex.QueryBuilder {
  return knex
    .withRecursive('above', ['id'], (query) => {
      void query
        .select('parent_id')
        .from(name('companies'))
        .where('id', companyId)
        .whereNotNull('parent_id')
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
}

/** Ids of a company and of those below it. */
export function descendants({ knex, name }: Session, companyId: number): Knex.QueryBuilder {
  return knex
    .withRecursive('below', ['id'], (query) => {
      void query
        .select('id')
        .from(name('companies'))
        .where('id', companyId)
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
