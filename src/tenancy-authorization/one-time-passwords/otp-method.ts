import type { Repositories } from '../../ports/index.js'

/** A user's second factor: none, or time-based one-time passwords (RFC 6238). */
export type OtpMethod = 'none' | 'totp'

type Stored = Pick<Repositories, 'oneTimePasswords'>

export async function otpMethodOf({ oneTimePasswords }: Stored, userId: number): Promise<OtpMethod> {
  const record = await oneTimePasswords.get(userId)
  return record === undefined || record.secret === null ? 'none' : 'totp'
}

/** The methods of all users, or of those with these ids, by one look. @returns says the method of a user by id */
export async function otpMethods(
  { oneTimePasswords }: Stored,
  userIds?: readonly number[],
): Promise<(userId: number) => OtpMethod> {
  const withSecrets = new Set(await oneTimePasswords.listUserIds(userIds))
  return (userId) => (withSecrets.has(userId) ? 'totp' : 'none')
}
