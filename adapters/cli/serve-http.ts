import { InvalidInputError } from '../../src/index.js'
import type { HttpHandler, HttpServer, ServeHttpOptions } from '../http-server/index.js'
import { codeOf } from '../node-kit/index.js'
import { loadHttpServer } from './loading.js'

/** Serves a handler. @throws InvalidInputError if the server cannot listen on the address, or an option is not valid */
export async function listen(
  handler: HttpHandler,
  options: ServeHttpOptions & { readonly host: string; readonly port: number },
): Promise<HttpServer> {
  const { serveHttp } = await loadHttpServer()
  const { host, port } = options
  try {
    return await serveHttp(handler, options)
  } catch (error) {
    const code = codeOf(error) ?? ''
    const problem = PROBLEMS[code]
    if (problem === undefined) throw error
    throw new InvalidInputError('', `cannot listen on ${host}:${port}: ${problem}`, { cause: error })
  }
}

const PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; choose another with --port, or 0 for a free one',
  EACCES: 'this user may not use the port; choose one above 1023 with --port',
  EADDRNOTAVAIL: 'this machine has no such address; choose another with --host',
  ENOTFOUND: 'the host is unknown; choose another with --host',
}
