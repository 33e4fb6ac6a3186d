import type { FileStore, Storage } from '../ports/index.js'

const FILES_PER_READ = 500

/**
 * Lists keys in the file store that belong to no document and no upload. Each is checked once, with others of the list,
 * and may have an owner when the caller receives it. Stops when the signal is aborted.
 */
export async function* listUnclaimedFiles(
  storage: Storage,
  fileStore: FileStore,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let keys: string[] = []
  for await (const key of fileStore.list()) {
    if (signal.aborted) return
    if (keys.push(key) < FILES_PER_READ) continue
    yield* await unclaimedOf(storage, keys)
    keys = []
  }
  yield* await unclaimedOf(storage, keys)
}

/** @returns the keys that belong to no document and no upload now */
export async function unclaimedOf(storage: Storage, keys: readonly string[]): Promise<string[]> {
  const claimed = await storage.read(({ uploads }) => uploads.claimed(keys))
  return keys.filter((key) => !claimed.has(key))
}
