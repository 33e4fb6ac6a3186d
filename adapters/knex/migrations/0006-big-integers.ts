import type { Knex } from 'knex'
import type { Dialect } from '../dialect.js'
import { type NameTable, TABLES } from '../tables.js'

/** Changes all integers to 64 bits, which they always have on SQLite. */
export function bigIntegers(schema: Knex.SchemaBuilder, name: NameTable, dialect: Dialect): Knex.SchemaBuilder {
  if (dialect.hasOneWriter) return schema
  // The prefix has only letters, digits and _, so the names need no escaping.
  const tables = TABLES.map((table) => `'${name(table)}'`).join()
  return schema.raw(`
    do $$
    declare
      narrow record;
    begin
      for narrow in
        select table_name as "table", column_name as "column",
          pg_get_serial_sequence(quote_ident(table_name), column_name) as sequence
        from information_schema.columns
        where table_schema = current_schema() and data_type = 'integer' and table_name in (${tables})
      loop
        execute format('alter table %I alter column %I type bigint', narrow."table", narrow."column");
        if narrow.sequence is not null then
          execute format('alter sequence %s as bigint', narrow.sequence);
        end if;
      end loop;
    end $$`)
}
