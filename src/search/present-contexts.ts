import type { ContextRecord, Storage } from '../ports/index.js'

/** Maximum number of repeats of a search. Each repeat needs a re-index that ends during the search. */
const MAX_REPEATS = 16

/** Thrown by a search that has read a context of a former generation. It begins again. */
export class StaleContextError extends Error {}

/**
 * Runs a search of contexts. If one of them gets another generation meanwhile, the contexts are read again, and the
 * search begins again: it may have read collections that no longer exist, with another model.
 */
export async function withPresentContexts<T>(
  storage: Storage,
  readContexts: () => Promise<readonly ContextRecord[]>,
  search: (contexts: readonly ContextRecord[]) => Promise<T>,
): Promise<T> {
  for (let repeats = 0; ; repeats += 1) {
    const contexts = await readContexts()
    try {
      return await search(contexts)
    } catch (error) {
      if (repeats >= MAX_REPEATS || !(await areStale(storage, contexts).catch(() => false))) throw error
    }
  }
}

/** @throws StaleContextError if the context has another generation by now */
export async function requirePresent(storage: Storage, context: ContextRecord): Promise<void> {
  if (await areStale(storage, [context])) throw new StaleContextError()
}

async function areStale(storage: Storage, known: readonly ContextRecord[]): Promise<boolean> {
  return await storage.read(async ({ contexts }) => {
    for (const { id, generation } of known) {
      const now = await contexts.generations(id)
      // A context that was deleted meanwhile is read again too, and not found.
      if (now?.generation !== generation) return true
    }
    return false
  })
}
