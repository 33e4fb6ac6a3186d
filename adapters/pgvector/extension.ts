import type { Knex } from 'knex'
import { UnsupportedError } from '../../src/ports/index.js'
import { isWithoutRight } from './errors.js'

/** The first that goes on in an index until enough rows have passed a filter. */
const LEAST_VERSION = [0, 8] as const

interface Rows<T> {
  readonly rows: readonly T[]
}

/** Whether a database has pgvector in a version that will do, or its server offers one. */
export async function hasPgVector(knex: Knex): Promise<boolean> {
  const found = await knex.raw<Rows<{ readonly version: string | null }>>(
    `select coalesce((select extversion from pg_extension where extname = 'vector'),
     (select default_version from pg_available_extensions where name = 'vector')) as version`,
  )
  return isEnough(found.rows[0]?.version ?? '')
}

function isEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor, leastMinor] = LEAST_VERSION
  return major > leastMajor || (major === leastMajor && minor >= leastMinor)
}

/**
 * Makes the extension where it is missing.
 * @throws UnsupportedError where the server has no pgvector, or one that is too old
 */
export async function requireExtension(transaction: Knex.Transaction): Promise<void> {
  const version = async (): Promise<string | undefined> => {
    const found = await transaction.raw<Rows<{ readonly extversion: string }>>(
      `select extversion from pg_extension where extname = 'vector'`,
    )
    return found.rows[0]?.extversion
  }
  if ((await version()) === undefined) {
    const offered = await transaction.raw<Rows<unknown>>(`select 1 from pg_available_extensions where name = 'vector'`)
    if (offered.rows.length === 0) throw unsupported('has no extension "vector"')
    await transaction.raw('create extension if not exists vector').catch((error: unknown) => {
      if (!isWithoutRight(error)) throw error
      throw new UnsupportedError(
        'the user of the database may not make the extension "vector": have an administrator run "create extension vector" in it once, or give vectorIndex: a LanceDbVectorIndex',
        { cause: error },
      )
    })
  }
  const found = (await version()) ?? ''
  if (!isEnough(found)) throw unsupported(`has pgvector ${found}`)
}

function unsupported(what: string): UnsupportedError {
  return new UnsupportedError(
    `the PostgreSQL server ${what}: install pgvector ${LEAST_VERSION.join('.')} or newer there, or keep the vectors in LanceDB`,
  )
}
