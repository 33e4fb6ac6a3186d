import type { PasswordHasher } from '../../src/ports/index.js'

/** Argon2id by RFC 9106's second recommended choice: 64 MiB, 3 passes, 4 lanes; on a thread of libuv's pool. */
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
      // A text that is no hash.
      return false
    }
  }
}

/** The library is loaded with the first password: most processes never see one. */
async function load(): Promise<typeof import('argon2')> {
  return await import('argon2')
}
