import type { Session } from '../../../src/index.js'
import { FolderSync, isOfTheMoment, type SyncedFile, type SyncOptions, type SyncSummary } from './sync-folder.js'

export interface WatchOptions extends SyncOptions {
  /** Called after each synchronisation. */
  readonly onSync?: ((summary: SyncSummary) => void) | undefined
  /** Called with the error of a synchronisation that failed; the next change starts another one, or the end of a pause. Default: ignored. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** A folder that is being watched. */
export interface FolderWatch {
  /**
   * Stops the watch. Waits for the synchronisation in progress, if there is one, which stops at its next file. A second
   * call waits for the first one. Never rejects.
   */
  close(): Promise<void>
}

/** A synchronisation starts once nothing has changed for this time: programs write files in several steps. */
const QUIET_MS = 300
/** Pauses before a synchronisation that no change asks for. Each one is twice as long as the one before. */
const [FIRST_RETRY_MS, LONGEST_RETRY_MS] = [10_000, 60_000]

/**
 * Synchronises a folder as `syncFolder` does, and again after each change, until {@link FolderWatch.close} or the signal
 * aborts. Changes that follow one another within 300 ms lead to one synchronisation. After a failure of the moment, such as
 * a full disk, it synchronises again without a change: after 10 s, then after pauses of up to 60 s.
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
  // A host that watches no folder does not load it.
  const { watch } = await import('chokidar')
  options.signal?.throwIfAborted()
  const ending = new AbortController()
  const sync = new FolderSync(session, contextId, folder, {
    ...options,
    signal: ending.signal,
    onFile: (file: SyncedFile) => {
      hasFailedForNow ||= file.isTransient === true
      options.onFile?.(file)
    },
  })
  // Watched before the first run, so that no change between the two is missed.
  const watcher = watch(folder, { ignoreInitial: true, followSymlinks: false })
  let timer: ReturnType<typeof setTimeout> | undefined
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let retryMs = FIRST_RETRY_MS
  let hasFailedForNow = false
  let isChanged = false
  let closing: Promise<void> | undefined

  const runOnce = async (): Promise<void> => {
    clearTimeout(retryTimer)
    hasFailedForNow = false
    try {
      const summary = await sync.run()
      onSync?.(summary)
    } catch (error) {
      hasFailedForNow ||= isOfTheMoment(error)
      throw error
    } finally {
      planRetry()
    }
  }
  const planRetry = (): void => {
    if (!hasFailedForNow) retryMs = FIRST_RETRY_MS
    else if (!ending.signal.aborted) {
      retryTimer = setTimeout(startRun, retryMs)
      retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)
    }
  }
  /** Runs until nothing is changed any more: two runs at once would add the same file twice. */
  const runWhileChanged = async (): Promise<void> => {
    while (isChanged && !ending.signal.aborted) {
      isChanged = false
      await runOnce().catch((error: unknown) => {
        if (!ending.signal.aborted) onError?.(error)
      })
    }
    running = undefined
  }
  const startRun = (): void => {
    isChanged = true
    running ??= runWhileChanged()
  }
  const close = async (reason?: unknown): Promise<void> => {
    options.signal?.removeEventListener('abort', onAbort)
    clearTimeout(timer)
    clearTimeout(retryTimer)
    ending.abort(reason)
    await watcher.close()
    await running
  }
  const closeOnce = async (reason?: unknown): Promise<void> => await (closing ??= close(reason))
  const onAbort = (): void => void closeOnce(options.signal?.reason)

  const first = runOnce()
  let running: Promise<void> | undefined = first.then(runWhileChanged, () => undefined)
  options.signal?.addEventListener('abort', onAbort, { once: true })
  watcher.on('error', (error) => onError?.(error))
  watcher.on('all', () => {
    isChanged = true
    clearTimeout(timer)
    timer = setTimeout(() => {
      running ??= runWhileChanged()
    }, QUIET_MS)
  })
  try {
    await first
    return { close: async () => await closeOnce() }
  } catch (error) {
    await closeOnce()
    throw error
  }
}
