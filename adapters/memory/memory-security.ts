import type {
  CommonPasswords,
  Mail,
  Mailer,
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

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Buffer.from(bytes).toString('hex')
}
