import type { Knex } from 'knex'
import type { Session } from './base.js'

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
