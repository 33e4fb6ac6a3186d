import type { Knex } from 'knex'
import type { Dialect } from './dialect.js'
import { translateError } from './errors.js'
import { SCHEMA_VERSION } from './migrations.js'
import { type NameTable, number, quoted, type Row, TABLES, type TableName } from './tables.js'

/** Largest number of problems that are reported for one table. A lost page may be one problem for each row. */
const MAX_PROBLEMS_PER_TABLE = 10
const CHUNK_TABLES: ReadonlySet<TableName> = new Set(['chunks', 'windows'])

/** Implements `Storage.verify`. It checks only the engine's tables, as all others belong to the host. */
export async function verifyDatabase(
  knex: Knex,
  dialect: Dialect,
  name: NameTable,
  { isThorough, signal }: { readonly isThorough: boolean; readonly signal?: AbortSignal },
): Promise<readonly string[]> {
  const missing = await listMissingTables(knex, name)
  const problems = [
    ...(await listVersionProblems(knex, name)),
    ...missing.map((table) => `Table ${name(table)} is missing`),
  ]
  if (!isThorough) return problems
  const listProblems = dialect.hasOneWriter ? listSqliteProblems : listPostgresProblems
  // The doctor reports and removes chunks without a document separately: `ChunkRepository.listOrphans`.
  const orphanProblem = ` refer to missing rows of ${name('documents')}`
  for (const table of TABLES.filter((each) => !missing.includes(each))) {
    signal?.throwIfAborted()
    try {
      const found = (await listProblems(knex, name(table))).filter(
        (problem) => !CHUNK_TABLES.has(table) || !problem.endsWith(orphanProblem),
      )
      problems.push(...found.slice(0, MAX_PROBLEMS_PER_TABLE).map((problem) => `Table ${name(table)}: ${problem}`))
    } catch (error) {
      const failure = translateError(error)
      if ('isTransient' in failure && failure.isTransient === true) throw failure
      problems.push(`Table ${name(table)} cannot be read: ${failure.message}`)
    }
  }
  return problems
}

async function listVersionProblems(knex: Knex, name: NameTable): Promise<string[]> {
  const [row] = await knex<Row>(name('schema')).select('version')
  const version = row && number(row, 'version')
  return version === SCHEMA_VERSION ? [] : [`The schema has version ${version ?? 'none'} instead of ${SCHEMA_VERSION}`]
}

async function listMissingTables(knex: Knex, name: NameTable): Promise<TableName[]> {
  const missing: TableName[] = []
  for (const table of TABLES) if (!(await knex.schema.hasTable(name(table)))) missing.push(table)
  return missing
}

async function listSqliteProblems(knex: Knex, table: string): Promise<string[]> {
  const checked = await knex.raw<readonly Row[]>(`pragma integrity_check(??)`, [table])
  const problems = checked.map((row) => String(row['integrity_check'])).filter((result) => result !== 'ok')
  const brokenReferences = await knex.raw<readonly Row[]>(`pragma foreign_key_check(??)`, [table])
  const countByParent = new Map<string, number>()
  for (const { parent } of brokenReferences)
    countByParent.set(String(parent), (countByParent.get(String(parent)) ?? 0) + 1)
  for (const [parent, rows] of countByParent) problems.push(`${rows} of its rows refer to missing rows of ${parent}`)
  return problems
}

/** PostgreSQL itself guarantees references. Reading a page with a wrong checksum fails, so all rows are read. */
async function listPostgresProblems(knex: Knex, table: string): Promise<string[]> {
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
    ...constraints.rows.map((row) => `its constraint ${String(row['conname'])} was never validated`),
  ]
}
