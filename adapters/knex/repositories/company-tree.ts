import type { Knex } from 'knex'
import type { Session } from './base.js'

/** Ids of the companies above one; none where rows form a cycle above it. */
export function ancestors(session: Session, companyId: number): Knex.QueryBuilder {
  const { knex, name } = session
  const above = knex.select('parent_id').from(name('companies')).where('id', companyId).whereNotNull('parent_id')
  return wayUp(session, above)
}

/** Ids of a company and of those below it; none where rows form a cycle above it. */
export function descendants(session: Session, companyId: number): Knex.QueryBuilder {
  const { knex, name } = session
  const self = () => knex.select('id').from(name('companies')).where('id', companyId)
  return knex
    .withRecursive('below', ['id'], (query) => {
      void query
        .select('id')
        .from(self().whereIn('id', wayUp(session, self())).as('self'))
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

/** Ids from the companies of a query up to the root; none where that is never reached. */
function wayUp({ knex, name }: Session, from: Knex.QueryBuilder): Knex.QueryBuilder {
  // Ids alone, and UNION: rows seen before end the recursion, so a cycle does too.
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
