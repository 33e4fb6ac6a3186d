import { watch } from 'chokidar'
import type { Session } from '../../../src/index.js'
import { FolderSync, type SyncOptions, type SyncSummary } from './sync-folder.js'

export interface WatchOptions extends SyncOptions {
  /** Called after each synchronisation. */
  readonly onSync?: ((summary: SyncSummary) => void) | undefined
  /** Called with the error of a synchronisation that failed; the next change starts another one. Default: ignored. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** A folder that is being watched. */
export interface FolderWatch {
  /** Stops the watch. Waits for the synchronisation in progress, if there is one, which stops at its next file. */
  close(): Promise<void>
}

/** A synchronisation starts once nothing has changed for this time: programs write files in several steps. */
const QUIET_MS = 300

/**
 * Synchronises a folder as `syncFolder` does, and again after each change, until {@link FolderWatch.close}. Changes that
 * follow one another within 300 ms lead to one synchronisation.
 *
 * @returns after the first synchronisation
 * @throws the errors of `syncFolder`, for the first synchronisation only
 */
export async function watchFolder(
  session: Session,
  contextId: number,
  folder: string,
  { onSync, onError, ...options }: WatchOptions = {},
): Promise<FolderWatch> {
  const ending = new AbortController()
  const signals = options.signal === undefined ? [ending.signal] : [ending.signal, options.signal]
  const abort = (): void => ending.abort(options.signal?.reason)
  options.signal?.addEventListener('abort', abort, { once: true })
  const sync = new FolderSync(session, contextId, folder, { ...options, signal: ending.signal })
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> | undefined
  let isChanged = false
  const isEnded = (): boolean => signals.some(({ aborted }) => aborted)

  const runOnce = async (): Promise<void> => {
    try {
      onSync?.(await sync.run())
    } catch (error) {
      if (!isEnded()) onError?.(error)
    }
  }
  const runAll = async (): Promise<void> => {
    while (isChanged && !isEnded()) {
      isChanged = false
      await runOnce()
    }
    running = undefined
  }
  const notice = (): void => {
    isChanged = true
    clearTimeout(timer)
    timer = setTimeout(() => {
      running ??= runAll()
    }, QUIET_MS)
  }

  // Watched before the first run, so that no change between the two is missed.
  const watcher = watch(folder, { ignoreInitial: true, followSymlinks: false })
  watcher.on('all', notice).on('error', (error) => onError?.(error))
  const close = async (): Promise<void> => {
    options.signal?.removeEventListener('abort', abort)
    clearTimeout(timer)
    ending.abort()
    await watcher.close()
    await running
  }
  try {
    onSync?.(await sync.run())
    return { close }
  } catch (error) {
    await close()
    throw error
  }
}
