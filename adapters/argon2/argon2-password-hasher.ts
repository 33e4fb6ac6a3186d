import { availableParallelism } from 'node:os'
import type { PasswordHasher } from '../../src/ports/index.js'
import { loadNative } from '../node-kit/index.js'

/**
 * Hashes with Argon2id on a thread of libuv's pool: 64 MiB, 3 passes, 4 lanes, the second recommended choice of RFC
 * 9106.
 */
export class Argon2PasswordHasher implements PasswordHasher {
  /** One processor stays for other work. */
  readonly concurrency: number = Math.max(1, Math.min(2, availableParallelism() - 1))

  async hash(password: string): Promise<string> {
    const { hash } = await load()
    // Argon2id is the default.
    return await hash(password, { memoryCost: 65_536, timeCost: 3, parallelism: 4 })
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
async function load(): Promise<typeof import('@node-rs/argon2')> {
  return await loadNative('@node-rs/argon2', async () => await import('@node-rs/argon2'))
}
