import { createHash } from 'node:crypto'
import { type CryptoKey, importJWK, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import type { PublicKey, TokenClaims, TokenSigner, VerifiedClaims } from '../../src/ports/index.js'
import { KeyFile, type SigningKey } from './key-file.js'

export interface JoseTokenSignerOptions {
  /** File with the keys. It is created with mode 0600 if it is missing. */
  readonly keyFile: string
}

const TYPE = 'at+jwt'
const ALGORITHMS = ['EdDSA', 'ES256']
/** Tokens are valid for 900 s, so a retired key verifies tokens for that time. */
const RETIRED_KEY_LIFETIME_MS = 900_000
/** The claims of RFC 9068, section 2.2, and those that the engine adds. */
const REQUIRED_CLAIMS = ['iss', 'aud', 'sub', 'client_id', 'jti', 'iat', 'exp', 'target_app', 'account_id', 'key_id']

/**
 * Signs access tokens as `at+jwt` (RFC 9068) with EdDSA or ES256. A token's key id can only select a key of the file.
 */
export class JoseTokenSigner implements TokenSigner {
  readonly #keys: KeyFile
  /** Cached by the key object, not by its id: a key that replaces another one under the same id is a different key. */
  readonly #imported = {
    private: new WeakMap<SigningKey, Promise<CryptoKey>>(),
    public: new WeakMap<SigningKey, Promise<CryptoKey>>(),
  }
  readonly #verified = new VerifiedTokens()

  constructor({ keyFile }: JoseTokenSignerOptions) {
    this.#keys = new KeyFile(keyFile)
  }

  /**
   * Reads the key file, and creates it if it is missing.
   * @throws SigningKeyError if it cannot be read or has a weak key
   */
  async open(): Promise<this> {
    await this.#keys.read()
    return this
  }

  async sign(
    claims: TokenClaims,
    { issuedAt, lifetimeSeconds }: { readonly issuedAt: Date; readonly lifetimeSeconds: number },
  ): Promise<string> {
    const [key] = await this.#keys.read()
    const seconds = Math.floor(issuedAt.getTime() / 1_000)
    return await new SignJWT({ ...claims })
      .setProtectedHeader({ typ: TYPE, alg: key.alg, kid: key.kid })
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + lifetimeSeconds)
      .sign(await this.#import(key, 'private'))
  }

  async verify(
    token: string,
    { iss, aud, now }: { readonly iss: string; readonly aud: string; readonly now: Date },
  ): Promise<VerifiedClaims | undefined> {
    const keys = await this.#keys.read()
    const cached = this.#verified.get(token)
    // A changed file gives new key objects. So a cached result never counts for a key that is no longer in the file.
    if (cached !== undefined && keys.includes(cached.key) && !isExpired(cached.key, now)) {
      const { payload } = cached
      if (payload.iss === iss && payload.aud === aud && isCurrent(payload, now)) return toClaims(payload, now)
    }
    try {
      let signingKey: SigningKey | undefined
      const { payload } = await jwtVerify(
        token,
        async ({ kid, alg }) => {
          signingKey = keys.find((key) => key.kid === kid && key.alg === alg)
          if (signingKey === undefined || isExpired(signingKey, now)) throw new Error('no such key')
          return await this.#import(signingKey, 'public')
        },
        {
          algorithms: ALGORITHMS,
          typ: TYPE,
          issuer: iss,
          audience: aud,
          currentDate: now,
          requiredClaims: REQUIRED_CLAIMS,
        },
      )
      if (signingKey !== undefined) this.#verified.add(token, { key: signingKey, payload })
      return toClaims(payload, now)
    } catch {
      return undefined
    }
  }

  async publicKeys(now: Date): Promise<readonly PublicKey[]> {
    const keys = await this.#keys.read()
    return keys.filter((key) => !isExpired(key, now)).map(toPublicKey)
  }

  async rotate(now: Date): Promise<{ readonly kid: string }> {
    return { kid: await this.#keys.rotate(now) }
  }

  async #import(key: SigningKey, use: 'private' | 'public'): Promise<CryptoKey> {
    const importedKeys = this.#imported[use]
    let imported = importedKeys.get(key)
    if (imported === undefined) {
      const { d: _private, ...publicJwk } = key.jwk
      imported = importJWK(use === 'private' ? key.jwk : publicJwk, key.alg) as Promise<CryptoKey>
      importedKeys.set(key, imported)
    }
    return await imported
  }
}

/** Copies the members one by one, so that no other member of a key is ever published. */
function toPublicKey({ kid, alg, jwk: { kty = '', crv = '', x = '', y } }: SigningKey): PublicKey {
  return { kty, crv, x, ...(y !== undefined && { y }), kid, alg, use: 'sig' }
}

/** True if a key verifies no more tokens. */
function isExpired({ retired }: SigningKey, now: Date): boolean {
  return retired !== null && new Date(retired).getTime() + RETIRED_KEY_LIFETIME_MS <= now.getTime()
}

/** True if a token with a verified signature is surely valid now. Any other token is verified in full. */
function isCurrent({ exp = 0, nbf }: JWTPayload, now: Date): boolean {
  return nbf === undefined && exp > Math.floor(now.getTime() / 1_000)
}

/** Checks the types of the claims: another version of the engine may have signed the token. */
function toClaims(payload: JWTPayload, now: Date): VerifiedClaims | undefined {
  const { iss, aud, sub, client_id, jti, target_app, company_id, account_id, key_id, iat, exp, scope, epoch } = payload
  const hasTexts = [iss, aud, sub, client_id, jti, target_app].every((claim) => typeof claim === 'string')
  const hasIds = [company_id, account_id, key_id, epoch].every((claim) => Number.isSafeInteger(claim))
  // An unreadable scope must not extend the rights of the token.
  if (scope !== undefined && typeof scope !== 'string') return undefined
  if (!hasTexts || !hasIds || iat === undefined || exp === undefined || iat > now.getTime() / 1_000) return undefined
  const claims = { iss, aud, sub, client_id, jti, target_app, company_id, account_id, key_id, epoch, iat, exp }
  return { ...claims, ...(scope !== undefined && { scope }) } as VerifiedClaims
}

const MAX_TOKENS = 1_000

/** A token with a valid signature. */
interface VerifiedToken {
  readonly key: SigningKey
  readonly payload: JWTPayload
}

/**
 * A cache of the most recently used tokens with a valid signature. The same bytes stay valid, and each check would cost
 * a hop to another thread. The cache has only hashes of the tokens, so that a token cannot be read from it.
 */
class VerifiedTokens {
  readonly #byHash = new LRUCache<string, VerifiedToken>({ max: MAX_TOKENS })

  get(token: string): VerifiedToken | undefined {
    return this.#byHash.get(hashOf(token))
  }

  add(token: string, verified: VerifiedToken): void {
    this.#byHash.set(hashOf(token), verified)
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}
