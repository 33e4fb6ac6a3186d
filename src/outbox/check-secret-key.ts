import type { SecretBox } from '../kernel/crypto.js'
import { SecretKeyError } from '../kernel/errors.js'
import type { Storage } from '../ports/index.js'

const SETTING = 'secret-key-check'
const KNOWN_TEXT = 'alcove'

/**
 * Checks that the key is the one that the secrets of this storage are encrypted with. With another key, every delivery
 * would fail. A new storage accepts the first key.
 *
 * @throws SecretKeyError for another key
 */
export async function checkSecretKey(storage: Storage, secretBox: SecretBox): Promise<void> {
  const stored = await storage.read(({ settings }) => settings.get(SETTING))
  const check = stored ?? (await storeCheck(storage, await secretBox.seal(KNOWN_TEXT)))
  const text = await secretBox.open(check).catch((cause: unknown) => {
    throw new SecretKeyError(
      'the secrets of this database are encrypted with another secret-encryption key: restore that key',
      { cause },
    )
  })
  if (text !== KNOWN_TEXT) {
    throw new SecretKeyError(
      'the stored check of the secret-encryption key is damaged: restore the database from a backup',
    )
  }
}

/** Two processes may do this at once. The check of the first one is kept. */
async function storeCheck(storage: Storage, check: string): Promise<string> {
  return await storage.transaction(async ({ settings }) => {
    const stored = await settings.get(SETTING)
    if (stored === undefined) await settings.put(SETTING, check)
    return stored ?? check
  })
}
