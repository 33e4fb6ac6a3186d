import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type {
  CommonPasswords,
  Mail,
  Mailer,
  OneTimePasswords,
  PasswordHasher,
  PublicKey,
  TokenClaims,
  TokenSigner,
  VerifiedClaims,
} from '../../src/ports/index.js'

interface IssuedToken {
  readonly claims: TokenClaims
  readonly fromMs: number
  readonly toMs: number
}

/** Issues random tokens that only the same signer can verify. */
export class MemoryTokenSigner implements TokenSigner {
  readonly #issued = new Map<string, IssuedToken>()

  async sign(
    claims: TokenClaims,
    { issuedAt, lifetimeSeconds }: { readonly issuedAt: Date; readonly lifetimeSeconds: number },
  ): Promise<string> {
    const token = crypto.randomUUID()
    const fromMs = issuedAt.getTime()
    this.#issued.set(token, { claims, fromMs, toMs: fromMs + lifetimeSeconds * 1_000 })
    return token
  }

  async verify(
    token: string,
    { iss, aud, now }: { readonly iss: string; readonly aud: string; readonly now: Date },
  ): Promise<VerifiedClaims | undefined> {
    const issued = this.#issued.get(token)
    if (issued?.claims.iss !== iss || issued.claims.aud !== aud) return undefined
    if (now.getTime() < issued.fromMs || now.getTime() >= issued.toMs) return undefined
    const iat = Math.floor(issued.fromMs / 1_000)
    return { ...issued.claims, iat, exp: iat + Math.round((issued.toMs - issued.fromMs) / 1_000) }
  }

  /** There are no keys: tokens are looked up in a map. */
  async publicKeys(): Promise<readonly PublicKey[]> {
    return []
  }

  async rotate(): Promise<{ readonly kid: string }> {
    return { kid: crypto.randomUUID() }
  }
}

/** A fast hash with a salt, for tests only. */
export class MemoryPasswordHasher implements PasswordHasher {
  async hash(password: string): Promise<string> {
    const salt = crypto.randomUUID()
    return `${salt}:${await digest(salt + password)}`
  }

  async verify(hash: string, password: string): Promise<boolean> {
    const [salt = '', expected] = hash.split(':')
    return expected === (await digest(salt + password))
  }
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Buffer.from(bytes).toString('hex')
}

/** Knows a few passwords, in lower case. */
export class MemoryCommonPasswords implements CommonPasswords {
  readonly #passwords: ReadonlySet<string>

  constructor(passwords: Iterable<string> = ['password', '123456', 'qwerty123456', 'password1234', 'unbelievable']) {
    this.#passwords = new Set(passwords)
  }

  async has(password: string): Promise<boolean> {
    return this.#passwords.has(password.trim().toLowerCase())
  }
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const STEP_MS = 30_000

/** One-time passwords of RFC 6238, without a library. */
export class MemoryOneTimePasswords implements OneTimePasswords {
  async createSecret(): Promise<string> {
    return Array.from(randomBytes(32), (byte) => BASE32[byte % BASE32.length]).join('')
  }

  async uriOf(label: { readonly issuer: string; readonly account: string; readonly secret: string }): Promise<string> {
    const [issuer, account] = [label.issuer, label.account].map((text) => encodeURIComponent(text.replaceAll(':', ' ')))
    return `otpauth://totp/${issuer}:${account}?issuer=${issuer}&secret=${label.secret}&algorithm=SHA1&digits=6&period=30`
  }

  async stepOf(secret: string, code: string, now: Date, window: number): Promise<number | undefined> {
    if (!/^[0-9]{6}$/.test(code)) return undefined
    const current = Math.floor(now.getTime() / STEP_MS)
    const steps = Array.from({ length: 2 * window + 1 }, (_, index) => current - window + index)
    return steps.find((step) => timingSafeEqual(Buffer.from(codeOf(secret, step)), Buffer.from(code)))
  }
}

/** Computes a code by RFC 4226, section 5.3. */
function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigInt64BE(BigInt(step))
  const hmac = createHmac('sha1', decodeBase32(secret)).update(counter).digest()
  const number = hmac.readUInt32BE((hmac.at(-1) ?? 0) & 15) & 0x7fff_ffff
  return String(number % 1_000_000).padStart(6, '0')
}

function decodeBase32(base32: string): Buffer {
  const bits = Array.from(base32, (character) => BASE32.indexOf(character).toString(2).padStart(5, '0')).join('')
  return Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [])
}

/** Records mails instead of sending them. */
export class MemoryMailer implements Mailer {
  readonly isImmediate: boolean = true
  readonly sent: Mail[] = []

  async send(mail: Mail): Promise<void> {
    this.sent.push(structuredClone(mail))
  }

  async close(): Promise<void> {
    // There are no open resources.
  }
}
