import { startPostgres } from './postgres-server.js'

/** Where tests find PostgreSQL. Set from outside, it names a database in which they may make schemas. */
const VARIABLE = 'ALCOVE_TEST_DATABASE_URL'

/** One PostgreSQL for all tests of a run. */
export default async function setUp(): Promise<() => Promise<void>> {
  if (process.env[VARIABLE] !== undefined) return () => Promise.resolve()
  try {
    const server = await startPostgres()
    process.env[VARIABLE] = server.url
    return async () => await server.dispose()
  } catch (error) {
    if (process.env['CI'] !== undefined) throw error
    process.stderr.write(
      `LEFT OUT: all tests on PostgreSQL, for none could be started (${String(error)}); ${VARIABLE} may name one\n`,
    )
    return () => Promise.resolve()
  }
}
