import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'

/**
 * PostgreSQL with pgvector within this process, for machines without a server. It has one backend, and confuses the
 * statements of several connections (pglite-socket 0.2), so each user needs exactly one connection.
 */
export interface PgliteServer {
  readonly url: string
  dispose(): Promise<void>
}

export async function startPglite(): Promise<PgliteServer> {
  const database = await PGlite.create({ extensions: { vector } })
  const server = new PGLiteSocketServer({ db: database, host: '127.0.0.1', port: 0, maxConnections: 20 })
  await server.start()
  return {
    url: `postgresql://postgres@${server.getServerConn()}/postgres`,
    dispose: async () => {
      await server.stop()
      await database.close()
    },
  }
}
