import type { Knex } from 'knex'
import type { UsersFilter } from '../../../src/ports/index.js'
import type { Session } from './base.js'

/** Ids of the users that a filter names, deleted or not. */
export function idsOfUsers({ knex, name }: Session, of: UsersFilter): Knex.QueryBuilder {
  const users = knex.select('id').from(name('users'))
  return 'userId' in of ? users.where('id', of.userId) : users.where('company_id', of.companyId)
}
