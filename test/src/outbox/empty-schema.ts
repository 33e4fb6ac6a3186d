import type { Knex } from 'knex'

/** The space of deleted rows stays for a while; a schema that has grown so much is slower than a new one. */
const MOST_BYTES = 16_000_000
/** A connection that a test has left may hold a lock. */
const LOCK_TIMEOUT_MS = 5_000

/**
 * The tables, indexes and sequences of a schema of PostgreSQL, each with its number of columns, in one text.
 * Two schemas with the same layout differ only in their rows.
 */
export async function layoutOf(knex: Knex, schema: string): Promise<string> {
  return (await look(knex, schema)).layout
}

/**
 * Deletes all rows of a schema of PostgreSQL but its version, and restarts its ids.
 * @param layout layout of the schema before any test used it
 * @returns false if a test has changed the layout or the version, so that no other test may use the schema
 */
export async function emptySchema(knex: Knex, schema: string, layout: string): Promise<boolean> {
  try {
    const found = await look(knex, schema)
    if (found.layout !== layout || found.bytes > MOST_BYTES) return false
    // Foreign keys are checked when the whole statement has run, so the order does not matter.
    const deletions = found.tables
      .filter((table) => table !== 'alcove_schema')
      .map((table, at) => `rows_${at} as (delete from "${table}")`)
    const restarts = found.sequences.map((sequence) => `setval('"${sequence}"', 1, false)`)
    await knex.transaction(async (transaction) => {
      await transaction.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
      await transaction.raw(`with ${deletions.join()} select ${restarts.join()}`)
    })
    return true
  } catch {
    return false
  }
}

interface Look {
  readonly layout: string
  readonly bytes: number
  readonly tables: readonly string[]
  readonly sequences: readonly string[]
}

async function look(knex: Knex, schema: string): Promise<Look> {
  const { rows } = await knex.raw<{ rows: { name: string; kind: string; columns: number; bytes: string }[] }>(
    `select relname as name, relkind as kind, relnatts as columns, pg_relation_size(oid) as bytes
     from pg_class where relnamespace = ?::regnamespace order by relname`,
    [schema],
  )
  const { rows: versions } = await knex.raw<{ rows: { version: string }[] }>('select version from alcove_schema')
  const ofKind = (wanted: string): string[] => rows.filter(({ kind }) => kind === wanted).map(({ name }) => name)
  return {
    layout: [
      ...versions.map(({ version }) => version),
      ...rows.map(({ name, columns }) => `${name} ${columns}`),
    ].join(),
    bytes: rows.reduce((sum, { bytes }) => sum + Number(bytes), 0),
    tables: ofKind('r'),
    sequences: ofKind('S'),
  }
}
