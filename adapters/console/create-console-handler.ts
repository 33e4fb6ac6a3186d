import { refuseUnknownMembers } from '../../src/ports/index.js'
import { checkPath, HttpError, problem } from '../node-kit/index.js'
import { ConsoleFiles } from './console-files.js'
import { consolePage } from './console-page.js'

export interface ConsoleOptions {
  /** Path at which browsers find the console. Default: `/console`. */
  readonly path?: string
  /** Path of the REST API on the same origin: the `basePath` of its handler. Default: none. */
  readonly apiPath?: string
}

const OPTIONS: Readonly<Record<keyof ConsoleOptions, true>> = { path: true, apiPath: true }

/** Answers a request for the console; never rejects. */
export type ConsoleHandler = (request: Request) => Promise<Response>

/**
 * Creates the handler that sends the console: one page and its files. It loads nothing from elsewhere.
 *
 * The page calls the REST API of the same origin, with the option `cookieLogins` or with the host's own login:
 *
 *     createHttpHandler(engine, { cookieLogins: true, mounts: { '/console/*': createConsoleHandler() } })
 *
 * @throws InvalidInputError for an unknown option, and for a path that is none
 */
export function createConsoleHandler(options: ConsoleOptions = {}): ConsoleHandler {
  refuseUnknownMembers(options, Object.keys(OPTIONS), 'option')
  const path = checkPath('path', options.path ?? '/console', '/console')
  const apiPath = checkPath('apiPath', options.apiPath ?? '', '/console')
  const files = new ConsoleFiles()
  return async (request) => {
    try {
      if (request.method !== 'GET' && request.method !== 'HEAD')
        throw new HttpError(405, 'ERR_METHOD_NOT_ALLOWED', 'the console takes only GET', { allow: 'GET, HEAD' })
      const { pathname } = new URL(request.url)
      // A proxy may have cut off the beginning of the path.
      const at = pathname.lastIndexOf('/assets/')
      if (at !== -1) return await files.answer(pathname.slice(at + 1), request)
      return consolePage(await files.entry(), { path, apiPath })
    } catch (error) {
      return problem(error)
    }
  }
}
