import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/** Adds the audit trail. It has no foreign keys, as its entries outlive the rows that they name. */
export function audit(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return schema.createTable(name('audit'), (table) => {
    table.bigIncrements('id')
    table.text('time').notNullable().index()
    table.text('action').notNullable()
    table.text('outcome').notNullable()
    table.bigInteger('company_id')
    table.text('actor_kind').notNullable()
    table.bigInteger('actor_user_id')
    table.bigInteger('actor_company_id')
    table.text('client_id')
    table.text('remote_address')
    table.text('request_id')
    table.text('target_type').notNullable()
    table.bigInteger('target_id')
    table.text('details').notNullable()
    table.index(['company_id', 'id'])
    table.index(['action', 'id'])
    table.index(['actor_user_id', 'id'])
  })
}
