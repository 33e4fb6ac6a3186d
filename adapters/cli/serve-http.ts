import { InvalidInputError } from '../../src/index.js'
import type { HttpHandler, HttpServer } from '../http-server/index.js'
import { loadHttpServer } from './loading.js'

/** Serves a handler. @throws InvalidInputError where the address cannot be listened on */
export async function listen(
  handler: HttpHandler,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<HttpServer> {
  const { serveHttp } = await loadHttpServer()
  try {
    return await serveHttp(handler, { host, port })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const problem = PROBLEMS[code]
    if (problem === undefined) throw error
    throw new InvalidInputError('', `cannot listen on ${host}:${port}: ${problem}`, { cause: error })
  }
}

const PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; choose another with --port, or 0 for a free one',
  EACCES: 'that port is not allowed; choose one above 1023 with --port',
  EADDRNOTAVAIL: 'this machine has no such address; choose another with --host',
  ENOTFOUND: 'the host is unknown; choose another with --host',
}
