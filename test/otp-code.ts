import { Secret, TOTP } from 'otpauth'

/** Returns the code that an authenticator app shows for a secret. */
export function otpCode(secret: string, now: Date): string {
  return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: now.getTime() })
}
