import type { OneTimePasswords } from '../../src/ports/index.js'

/** RFC 4226, section 4, recommends 160 bits. */
const SECRET_BYTES = 20
/** The settings of RFC 6238 that all authenticator apps support. Some apps ignore other settings silently. */
const SETTINGS = { algorithm: 'SHA1', digits: 6, period: 30 } as const
const CODE = /^[0-9]{6}$/

/** One-time passwords of RFC 6238, with the library `otpauth`. */
export class TotpOneTimePasswords implements OneTimePasswords {
  async createSecret(): Promise<string> {
    const { Secret } = await load()
    return new Secret({ size: SECRET_BYTES }).base32
  }

  async uriOf(label: { readonly issuer: string; readonly account: string; readonly secret: string }): Promise<string> {
    const { TOTP } = await load()
    const { issuer, account, secret } = label
    return new TOTP({ ...SETTINGS, issuer: withoutColon(issuer), label: withoutColon(account), secret }).toString()
  }

  async stepOf(secret: string, code: string, now: Date, window: number): Promise<number | undefined> {
    if (!CODE.test(code)) return undefined
    const { Secret, TOTP } = await load()
    const timestamp = now.getTime()
    const delta = TOTP.validate({ ...SETTINGS, secret: Secret.fromBase32(secret), token: code, timestamp, window })
    return delta === null ? undefined : TOTP.counter({ period: SETTINGS.period, timestamp }) + delta
  }
}

/** Removes colons, as a colon separates the issuer from the account. */
function withoutColon(text: string): string {
  return text.replaceAll(':', ' ')
}

/** Loads the library with the first one-time password: most processes never check one. */
async function load(): Promise<typeof import('otpauth')> {
  return await import('otpauth')
}
