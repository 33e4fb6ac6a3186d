import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/** Adds the hashes of revoked access tokens, which are stored until the tokens expire. */
export function revokedTokens(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return schema.createTable(name('revoked_tokens'), (table) => {
    table.text('token_hash').primary()
    table.bigInteger('expires_ms').notNullable().index()
  })
}
