import type { Mounts } from '../http-server/index.js'
import { loadConsole } from './engines.js'
import { lazyHandler } from './lazy-handler.js'

const PATH = '/console'

/**
 * The console, if it is wanted. Loads its module at the first request for it.
 * @param publicUrl the URL under which browsers reach the server; a proxy may cut off its path
 */
export function consoleMounts(isWanted: boolean, publicUrl: string | undefined): Mounts {
  if (!isWanted) return {}
  const handle = lazyHandler(async () => {
    const { createConsoleHandler } = await loadConsole()
    const apiPath = publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '')
    return createConsoleHandler({ path: `${apiPath}${PATH}`, apiPath })
  })
  return { [`${PATH}/*`]: handle }
}
