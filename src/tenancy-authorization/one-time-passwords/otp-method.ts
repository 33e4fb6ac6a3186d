import type { Repositories } from '../../ports/index.js'

/** A user's second factor: none, or time-based one-time passwords (RFC 6238). */
export type OtpMethod = 'none' | 'totp'

type Stored = Pick<Repositories, 'oneTimePasswords'>

export async function otpMethodOf({ oneTimePasswords }: Stored, userId: number): Promise<OtpMethod> {
  const record = await oneTimePasswords.get(userId)
  return record === undefined || record.secret === null ? 'none' : 'totp'
}

/** The methods of all users, or those of a company, by one look. @returns says the method of a user by id */
export async function otpMethods(
  { oneTimePasswords }: Stored,
  filter: { readonly companyId?: number } = {},
): Promise<(userId: number) => OtpMethod> {
  const userIds = new Set(await oneTimePasswords.listUserIds(filter))
  return (userId) => (userIds.has(userId) ? 'totp' : 'none')
}
