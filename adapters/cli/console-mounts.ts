import type { ConsoleHandler } from '../console/index.js'
import type { Mounts } from '../http-server/index.js'
import { loadConsole } from './engines.js'

const PATH = '/console'

/** The console, if it is wanted. Loads its module at the first request for it. */
export function consoleMounts(isWanted: boolean): Mounts {
  if (!isWanted) return {}
  let loading: Promise<ConsoleHandler> | undefined
  const load = async (): Promise<ConsoleHandler> => {
    const { createConsoleHandler } = await loadConsole()
    return createConsoleHandler({ path: PATH })
  }
  const handle: ConsoleHandler = async (request) => {
    loading ??= load()
    return await (await loading)(request)
  }
  return { [`${PATH}/*`]: handle }
}
