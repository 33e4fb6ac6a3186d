import { startPostgres } from './servers/postgres-server.js'

/** The address of PostgreSQL for tests. A value from outside names a database in which tests may create schemas. */
const VARIABLE = 'ALCOVE_TEST_DATABASE_URL'

/** Starts one PostgreSQL for all tests of a run. */
export default async function setUp(): Promise<() => Promise<void>> {
  if (process.env[VARIABLE] !== undefined) return () => Promise.resolve()
  try {
    const server = await startPostgres()
    process.env[VARIABLE] = server.url
    return async () => await server.dispose()
  } catch (error) {
    if (process.env['CI'] !== undefined) throw error
    process.stderr.write(
      `SKIPPED: all tests on PostgreSQL, because no server could be started (${String(error)}). Set ${VARIABLE} to the URL of a server\n`,
    )
    return () => Promise.resolve()
  }
}
