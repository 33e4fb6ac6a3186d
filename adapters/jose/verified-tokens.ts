import { createHash } from 'node:crypto'
import type { JWTPayload } from 'jose'
import type { SigningKey } from './key-file.js'

const MOST_TOKENS = 1_000

/** A token whose signature was found right. */
export interface VerifiedToken {
  readonly key: SigningKey
  readonly payload: JWTPayload
}

/**
 * The latest tokens whose signatures were found right: the same bytes are right again, and checking them costs a hop to
 * another thread for each request. Kept by their hash, so that nobody reads a token out of memory here.
 */
export class VerifiedTokens {
  readonly #byHash = new Map<string, VerifiedToken>()

  get(token: string): VerifiedToken | undefined {
    return this.#byHash.get(hashOf(token))
  }

  add(token: string, verified: VerifiedToken): void {
    this.#byHash.set(hashOf(token), verified)
    const [oldest] = this.#byHash.keys()
    if (this.#byHash.size > MOST_TOKENS && oldest !== undefined) this.#byHash.delete(oldest)
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}
