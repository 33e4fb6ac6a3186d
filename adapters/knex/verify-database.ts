import type { Knex } from 'knex'
import type { Dialect } from './dialect.js'
import { translateError } from './errors.js'
import { MIGRATIONS } from './migrations.js'
import { number, type Row } from './rows.js'
import { type NameTable, quoted, TABLES, type TableName } from './tables.js'

/** What is told of one table at most: where a page is lost, each of its rows may be a sentence. */
const MOST_PER_TABLE = 10
const CHUNK_TABLES: ReadonlySet<TableName> = new Set(['chunks', 'windows'])

/** What `Storage.verify` says, of the engine's own tables: others in the database are the host's. */
export async function verifyDatabase(
  knex: Knex,
  dialect: Dialect,
  name: NameTable,
  { isThorough, signal }: { readonly isThorough: boolean; readonly signal?: AbortSignal },
): Promise<readonly string[]> {
  const missing = await missingTables(knex, name)
  const problems = [
    ...(await versionProblems(knex, name)),
    ...missing.map((table) => `Table ${name(table)} is missing`),
  ]
  if (!isThorough) return problems
  const look = dialect.hasOneWriter ? sqliteProblems : postgresProblems
  // Chunks of no document are told, and mended, by a name of their own: `ChunkRepository.listOrphans`.
  const known = ` refer to missing rows of ${name('documents')}`
  for (const table of TABLES.filter((each) => !missing.includes(each))) {
    signal?.throwIfAborted()
    try {
      const found = (await look(knex, name(table))).filter(
        (sentence) => !CHUNK_TABLES.has(table) || !sentence.endsWith(known),
      )
      problems.push(...found.slice(0, MOST_PER_TABLE).map((sentence) => `Table ${name(table)}: ${sentence}`))
    } catch (error) {
      const failure = translateError(error)
      if ('isTransient' in failure && failure.isTransient === true) throw failure
      problems.push(`Table ${name(table)} cannot be read: ${failure.message}`)
    }
  }
  return problems
}

async function versionProblems(knex: Knex, name: NameTable): Promise<string[]> {
  const [row] = await knex<Row>(name('schema')).select('version')
  const version = row && number(row, 'version')
  return version === MIGRATIONS.length
    ? []
    : [`The schema has version ${version ?? 'none'} instead of ${MIGRATIONS.length}`]
}

async function missingTables(knex: Knex, name: NameTable): Promise<TableName[]> {
  const missing: TableName[] = []
  for (const table of TABLES) if (!(await knex.schema.hasTable(name(table)))) missing.push(table)
  return missing
}

async function sqliteProblems(knex: Knex, table: string): Promise<string[]> {
  const checked = await knex.raw<readonly Row[]>(`pragma integrity_check(??)`, [table])
  const sentences = checked.map((row) => String(row['integrity_check'])).filter((sentence) => sentence !== 'ok')
  const broken = await knex.raw<readonly Row[]>(`pragma foreign_key_check(??)`, [table])
  const byParent = new Map<string, number>()
  for (const { parent } of broken) byParent.set(String(parent), (byParent.get(String(parent)) ?? 0) + 1)
  for (const [parent, rows] of byParent) sentences.push(`${rows} of its rows refer to missing rows of ${parent}`)
  return sentences
}

/** References are the database's own care there; pages with a wrong checksum fail when they are read. */
async function postgresProblems(knex: Knex, table: string): Promise<string[]> {
  await knex.raw('select count(every.*) from ?? as every', [table])
  const indexes = await knex.raw<{ readonly rows: readonly Row[] }>(
    `select indexrelid::regclass::text as index from pg_index where indrelid = ?::regclass and not indisvalid`,
    [quoted(table)],
  )
  const constraints = await knex.raw<{ readonly rows: readonly Row[] }>(
    'select conname from pg_constraint where conrelid = ?::regclass and not convalidated',
    [quoted(table)],
  )
  return [
    ...indexes.rows.map((row) => `its index ${String(row['index'])} is not valid`),
    ...constraints.rows.map((row) => `its constraint ${String(row['conname'])} was never checked`),
  ]
}
