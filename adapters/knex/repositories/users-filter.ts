import type { Knex } from 'knex'
import type { UsersFilter } from '../../../src/ports/index.js'
import type { Session } from './base.js'

/** Selects the ids of the users that a filter names, deleted or not. */
export function idsOfUsers({ knex, name }: Session, filter: UsersFilter): Knex.QueryBuilder {
  const users = knex.select('id').from(name('users'))
  return 'userId' in filter ? users.where('id', filter.userId) : users.where('company_id', filter.companyId)
}
