import type { Storage } from '../../src/ports/index.js'

/** A setting of a database, and whether nobody has worked with that yet. */
export async function readDecided(
  storage: Storage,
  key: string,
): Promise<{ readonly known: string | undefined; readonly isNew: boolean }> {
  return await storage.read(async ({ settings }) => ({
    known: await settings.get(key),
    isNew: (await settings.get('owner')) === undefined,
  }))
}

/** Decides a setting once for all: of several engines that do it at the same time, one decides. @returns what is decided */
export async function decide(storage: Storage, key: string, value: string): Promise<string> {
  return await storage.transaction(async ({ settings }) => {
    const decided = (await settings.get(key)) ?? value
    await settings.put(key, decided)
    return decided
  })
}
