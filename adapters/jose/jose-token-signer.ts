import { type CryptoKey, importJWK, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { PublicKey, TokenClaims, TokenSigner, VerifiedClaims } from '../../src/ports/index.js'
import { KeyFile, type SigningKey } from './key-file.js'
import { VerifiedTokens } from './verified-tokens.js'

export interface JoseTokenSignerOptions {
  /** File with the keys; made with mode 0600 where there is none. */
  readonly keyFile: string
}

const TYPE = 'at+jwt'
const ALGORITHMS = ['EdDSA', 'ES256']
/** Tokens live 900 s, so a key that signs no more is needed for as long. */
const RETIRED_KEY_LIVES_MS = 900_000
/** RFC 9068, section 2.2, and what the engine adds. */
const REQUIRED = ['iss', 'aud', 'sub', 'client_id', 'jti', 'iat', 'exp', 'target_app', 'account_id', 'key_id']

/** Signs access tokens as `at+jwt` (RFC 9068) by EdDSA or ES256. Key ids only choose among the file's keys. */
export class JoseTokenSigner implements TokenSigner {
  readonly #keys: KeyFile
  /** By the keys as they were read: one that was put in another's place, under its id, is another one. */
  readonly #imported = {
    private: new WeakMap<SigningKey, Promise<CryptoKey>>(),
    public: new WeakMap<SigningKey, Promise<CryptoKey>>(),
  }
  readonly #verified = new VerifiedTokens()

  constructor({ keyFile }: JoseTokenSignerOptions) {
    this.#keys = new KeyFile(keyFile)
  }

  /** @throws SigningKeyError where the file cannot be read, or holds a key that is too weak */
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
    const known = this.#verified.get(token)
    // A key that was read anew is another one: nothing is remembered of a key that is not in the file.
    if (known !== undefined && keys.includes(known.key) && !isPast(known.key, now)) {
      const { payload } = known
      if (payload.iss === iss && payload.aud === aud && isCurrent(payload, now)) return toClaims(payload, now)
    }
    try {
      let signedBy: SigningKey | undefined
      const { payload } = await jwtVerify(
        token,
        async ({ kid, alg }) => {
          signedBy = keys.find((key) => key.kid === kid && key.alg === alg)
          if (signedBy === undefined || isPast(signedBy, now)) throw new Error('no such key')
          return await this.#import(signedBy, 'public')
        },
        {
          algorithms: ALGORITHMS,
          typ: TYPE,
          issuer: iss,
          audience: aud,
          currentDate: now,
          requiredClaims: REQUIRED,
        },
      )
      if (signedBy !== undefined) this.#verified.add(token, { key: signedBy, payload })
      return toClaims(payload, now)
    } catch {
      return undefined
    }
  }

  async publicKeys(now: Date): Promise<readonly PublicKey[]> {
    const keys = await this.#keys.read()
    return keys.filter((key) => !isPast(key, now)).map(toPublicKey)
  }

  async rotate(now: Date): Promise<{ readonly kid: string }> {
    return { kid: await this.#keys.rotate(now) }
  }

  async #import(key: SigningKey, use: 'private' | 'public'): Promise<CryptoKey> {
    const known = this.#imported[use]
    let imported = known.get(key)
    if (imported === undefined) {
      const { d: _private, ...publicJwk } = key.jwk
      imported = importJWK(use === 'private' ? key.jwk : publicJwk, key.alg) as Promise<CryptoKey>
      known.set(key, imported)
    }
    return await imported
  }
}

/** Members are named one by one: what else a key may have is never shown. */
function toPublicKey({ kid, alg, jwk: { kty = '', crv = '', x = '', y } }: SigningKey): PublicKey {
  return { kty, crv, x, ...(y !== undefined && { y }), kid, alg, use: 'sig' }
}

function isPast({ retired }: SigningKey, now: Date): boolean {
  return retired !== null && new Date(retired).getTime() + RETIRED_KEY_LIVES_MS <= now.getTime()
}

/** Of a token whose signature is right; whatever is not plainly current goes the long way again. */
function isCurrent({ exp = 0, nbf }: JWTPayload, now: Date): boolean {
  return nbf === undefined && exp > Math.floor(now.getTime() / 1_000)
}

/** What is signed was written by an engine, but by another version perhaps. */
function toClaims(payload: JWTPayload, now: Date): VerifiedClaims | undefined {
  const { iss, aud, sub, client_id, jti, target_app, company_id, account_id, key_id, iat, exp, scope } = payload
  const hasTexts = [iss, aud, sub, client_id, jti, target_app].every((claim) => typeof claim === 'string')
  const hasIds = [account_id, key_id].every((claim) => Number.isSafeInteger(claim))
  if (company_id !== undefined && !Number.isSafeInteger(company_id)) return undefined
  // A scope that cannot be read must not widen the token.
  if (scope !== undefined && typeof scope !== 'string') return undefined
  if (!hasTexts || !hasIds || iat === undefined || exp === undefined || iat > now.getTime() / 1_000) return undefined
  const claims = { iss, aud, sub, client_id, jti, target_app, account_id, key_id, iat, exp }
  const others = { ...(company_id !== undefined && { company_id }), ...(scope !== undefined && { scope }) }
  return { ...claims, ...others } as VerifiedClaims
}
