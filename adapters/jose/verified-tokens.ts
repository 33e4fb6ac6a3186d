import { createHash } from 'node:crypto'
import type { JWTPayload } from 'jose'
import type { SigningKey } from './key-file.js'

const MAX_TOKENS = 1_000

/** A token with a valid signature. */
export interface VerifiedToken {
  readonly key: SigningKey
  readonly payload: JWTPayload
}

/**
 * A cache of the latest tokens with a valid signature. The same bytes stay valid, and each check would cost a hop to
 * another thread. The cache has only hashes of the tokens, so that a token cannot be read from it.
 */
export class VerifiedTokens {
  readonly #byHash = new Map<string, VerifiedToken>()

  get(token: string): VerifiedToken | undefined {
    return this.#byHash.get(hashOf(token))
  }

  add(token: string, verified: VerifiedToken): void {
    this.#byHash.set(hashOf(token), verified)
    const [oldest] = this.#byHash.keys()
    if (this.#byHash.size > MAX_TOKENS && oldest !== undefined) this.#byHash.delete(oldest)
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}
