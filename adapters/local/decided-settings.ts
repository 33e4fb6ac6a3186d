import type { Storage } from '../../src/ports/index.js'

/** Reads a setting of a database. `isNew` is true if no engine has opened the database yet. */
export async function readDecided(
  storage: Storage,
  key: string,
): Promise<{ readonly known: string | undefined; readonly isNew: boolean }> {
  return await storage.read(async ({ settings }) => ({
    known: await settings.get(key),
    isNew: (await settings.get('owner')) === undefined,
  }))
}

/** Stores a setting once. If several engines do that at the same time, the first one wins. @returns the stored value */
export async function decide(storage: Storage, key: string, value: string): Promise<string> {
  return await storage.transaction(async ({ settings }) => {
    const decided = (await settings.get(key)) ?? value
    await settings.put(key, decided)
    return decided
  })
}
