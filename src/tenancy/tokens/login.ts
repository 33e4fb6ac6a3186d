import type { z } from 'zod'
import { idSchema, objectSchema, textSchema } from '../../kernel/validate.js'
import type { Sight, UserRecord } from '../../ports/index.js'

/** The input of a login with a password. */
export interface PasswordLogin {
  readonly email: string
  readonly password: string
  /** The user's company. Default: the one whose user has this address and this password. */
  readonly customerId?: number | undefined
  /** The one-time password or recovery code, for users who have a second factor. */
  readonly otp?: string | undefined
}

/** The input of a login with an API key. */
export interface KeyLogin {
  readonly clientId: string
  readonly clientSecret: string
}

export type LoginInput = PasswordLogin | KeyLogin

export const passwordLoginSchema: z.ZodType<PasswordLogin> = objectSchema({
  email: textSchema({ min: 1, max: 320 }),
  password: textSchema({ min: 1, max: 1_000 }),
  customerId: idSchema().optional(),
  otp: textSchema({ max: 1_000 }).optional(),
})

export const keyLoginSchema: z.ZodType<KeyLogin> = objectSchema({
  clientId: textSchema({ min: 1, max: 100 }),
  clientSecret: textSchema({ min: 1, max: 200 }),
})

/** An account on which the user of a login may act now. */
export interface LoginAccount {
  readonly id: number
  readonly name: string
  /** Key of the account's application. */
  readonly application: string
  /** The company of the account. */
  readonly customerId: number
  readonly customerName: string
  readonly role: { readonly id: number; readonly name: string }
  /** The capabilities that the login has on the account. */
  readonly capabilities: readonly string[]
}

/** The present state of a login. */
export interface Login {
  /** `password` or `key`; `host` for a principal of the host's own login. */
  readonly kind: 'password' | 'key' | 'host'
  readonly user: Pick<UserRecord, 'id' | 'name' | 'email'> & { readonly customerId: number }
  /** Client id of the API key; null without one. */
  readonly clientId: string | null
  /** The time at which the login ends, ISO 8601; null if only the host knows it. */
  readonly expires: string | null
  /** The visible contexts of an account: `user` for the user's own and shared ones, `account` for all. */
  readonly sight: Sight
  /** Ordered by id. Empty for a user without a permission. */
  readonly accounts: readonly LoginAccount[]
}
