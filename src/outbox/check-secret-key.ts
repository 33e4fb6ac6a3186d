import { SecretKeyError } from '../kernel/errors.js'
import type { SecretBox } from '../kernel/secret-box.js'
import type { Storage } from '../ports/index.js'

const SETTING = 'secret-key-check'
const KNOWN_TEXT = 'alcove'

/**
 * Makes sure that the key is the one that this storage's secrets are encrypted with: with another, every
 * delivery would fail. The first key that comes is the one.
 *
 * @throws SecretKeyError for another key
 */
export async function checkSecretKey(storage: Storage, secretBox: SecretBox): Promise<void> {
  const known = await storage.read(({ settings }) => settings.get(SETTING))
  const check = known ?? (await introduce(storage, await secretBox.seal(KNOWN_TEXT)))
  const text = await secretBox.open(check).catch((cause: unknown) => {
    throw new SecretKeyError(
      'the secret-encryption key is not the one that the secrets of this database are encrypted with: put that key back',
      { cause },
    )
  })
  if (text !== KNOWN_TEXT) throw new SecretKeyError('the check of the secret-encryption key is damaged')
}

/** Two processes may come here at once: the check of the first counts. */
async function introduce(storage: Storage, check: string): Promise<string> {
  return await storage.transaction(async ({ settings }) => {
    const known = await settings.get(SETTING)
    if (known === undefined) await settings.put(SETTING, check)
    return known ?? check
  })
}
