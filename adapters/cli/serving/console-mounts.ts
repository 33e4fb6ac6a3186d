import type { Mounts } from '../../http-server/index.js'
import { loadConsole } from '../engines/engines.js'
import { lazyHandler } from '../engines/lazy-handler.js'

const PATH = '/console'

/**
 * The console, if it is wanted. Loads its module at the first request for it.
 * @param publicUrl the URL under which browsers reach the server; a proxy may cut off its path
 */
export function consoleMounts(isWanted: boolean, publicUrl: string | undefined): Mounts {
  if (!isWanted) return {}
  const handle = lazyHandler(async () => {
    const { createConsoleHandler } = await loadConsole()
    return createConsoleHandler({ path: consolePath(publicUrl), apiPath: apiPathOf(publicUrl) })
  })
  return { [`${PATH}/*`]: handle }
}

/** The path at which browsers find the console. */
export function consolePath(publicUrl: string | undefined): string {
  return `${apiPathOf(publicUrl)}${PATH}`
}

function apiPathOf(publicUrl: string | undefined): string {
  return publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '')
}
