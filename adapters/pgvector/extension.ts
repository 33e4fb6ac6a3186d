import type { Knex } from 'knex'
import { UnsupportedError } from '../../src/ports/index.js'
import { isRightMissing } from './errors.js'

/** The first version with iterative index scans, which continue until enough rows have passed a filter. */
const MIN_VERSION = [0, 8] as const

/** True if the database has pgvector in a sufficient version, or its server offers one. */
export async function hasPgVector(knex: Knex): Promise<boolean> {
  const found = await knex.raw<Rows<{ readonly version: string | null }>>(
    `select coalesce((select extversion from pg_extension where extname = 'vector'),
     (select default_version from pg_available_extensions where name = 'vector')) as version`,
  )
  return isSufficient(found.rows[0]?.version ?? '')
}

function isSufficient(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [minMajor, minMinor] = MIN_VERSION
  return major > minMajor || (major === minMajor && minor >= minMinor)
}

/**
 * Creates the extension if it is missing.
 * @throws UnsupportedError if the server has no pgvector, or an old one, or the user may not create the extension
 */
export async function requireExtension(transaction: Knex.Transaction): Promise<void> {
  const readVersion = async (): Promise<string | undefined> => {
    const found = await transaction.raw<Rows<{ readonly extversion: string }>>(
      `select extversion from pg_extension where extname = 'vector'`,
    )
    return found.rows[0]?.extversion
  }
  if ((await readVersion()) === undefined) {
    const offered = await transaction.raw<Rows<unknown>>(`select 1 from pg_available_extensions where name = 'vector'`)
    if (offered.rows.length === 0) throw toUnsupportedError('has no extension "vector"')
    await transaction.raw('create extension if not exists vector').catch((error: unknown) => {
      if (!isRightMissing(error)) throw error
      throw new UnsupportedError(
        'the database user may not create the extension "vector": let an administrator run "create extension vector" once in the database, or pass a LanceDbVectorIndex as vectorIndex',
        { cause: error },
      )
    })
  }
  const version = (await readVersion()) ?? ''
  if (!isSufficient(version)) throw toUnsupportedError(`has pgvector ${version}`)
}

function toUnsupportedError(problem: string): UnsupportedError {
  return new UnsupportedError(
    `the PostgreSQL server ${problem}: install pgvector ${MIN_VERSION.join('.')} or newer there, or keep the vectors in LanceDB`,
  )
}
