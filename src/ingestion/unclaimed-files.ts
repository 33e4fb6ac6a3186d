import type { FileStore, Storage } from '../ports/index.js'

const FILES_PER_LOOK = 500

/**
 * Keys in the file store that belong to no document and no upload, as it was when a part of the list was looked at.
 * Ends where the signal is aborted.
 */
export async function* unclaimedFiles(
  storage: Storage,
  fileStore: FileStore,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let keys: string[] = []
  for await (const key of fileStore.list()) {
    if (signal.aborted) return
    if (keys.push(key) < FILES_PER_LOOK) continue
    yield* await unclaimed(storage, keys)
    keys = []
  }
  yield* await unclaimed(storage, keys)
}

/** Those of the keys that belong to no document and no upload now. */
export async function unclaimed(storage: Storage, keys: readonly string[]): Promise<string[]> {
  const claimed = await storage.read(({ uploads }) => uploads.claimed(keys))
  return keys.filter((key) => !claimed.has(key))
}
