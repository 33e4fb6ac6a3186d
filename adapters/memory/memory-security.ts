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

interface Issued {
  readonly claims: TokenClaims
  readonly fromMs: number
  readonly toMs: number
}

/** Tokens that mean nothing but to the signer that made them. */
export class MemoryTokenSigner implements TokenSigner {
  readonly #issued = new Map<string, Issued>()

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

  /** Tokens are looked up, not verified by a key. */
  async publicKeys(): Promise<readonly PublicKey[]> {
    return []
  }

  async rotate(): Promise<{ readonly kid: string }> {
    return { kid: crypto.randomUUID() }
  }
}

/** Hashes with a salt, and quickly: for tests only. */
export class MemoryPasswordHasher implements PasswordHasher {
  async hash(password: string): Promise<string> {
    const salt = crypto.randomUUID()
    return `${salt}:${await digest(salt + password)}`
  }

  async verify(hash: string, password: string): Promise<boolean> {
    const [salt = '', digested] = hash.split(':')
    return digested === (await digest(salt + password))
  }
}

/** Knows a handful of passwords, in lower case. */
export class MemoryCommonPasswords implements CommonPasswords {
  readonly #passwords: ReadonlySet<string>

  constructor(passwords: Iterable<string> = ['password', '123456', 'qwerty123456', 'password1234', 'unbelievable']) {
    this.#passwords = new Set(passwords)
  }

  async has(password: string): Promise<boolean> {
    return this.#passwords.has(password.trim().toLowerCase())
  }
}

/** Keeps what it is given. */
export class MemoryMailer implements Mailer {
  readonly isImmediate: boolean = true
  readonly sent: Mail[] = []

  async send(mail: Mail): Promise<void> {
    this.sent.push(structuredClone(mail))
  }

  async close(): Promise<void> {
    // Nothing is held.
  }
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Buffer.from(bytes).toString('hex')
}
