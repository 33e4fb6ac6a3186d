import type { PasswordHasher } from '../../src/ports/index.js'
import { loadNative } from '../node-kit/index.js'

/**
 * Hashes with Argon2id on a thread of libuv's pool: 64 MiB, 3 passes, 4 lanes, the second recommended choice of RFC
 * 9106.
 */
export class Argon2PasswordHasher implements PasswordHasher {
  async hash(password: string): Promise<string> {
    const { argon2id, hash } = await load()
    return await hash(password, { type: argon2id, memoryCost: 65_536, timeCost: 3, parallelism: 4 })
  }

  async verify(hash: string, password: string): Promise<boolean> {
    const { verify } = await load()
    try {
      return await verify(hash, password)
    } catch {
      // The stored text is no hash.
      return false
    }
  }
}

/** Loads the library with the first password: most processes never hash one. */
async function load(): Promise<typeof import('argon2')> {
  return await loadNative('argon2', async () => await import('argon2'))
}
