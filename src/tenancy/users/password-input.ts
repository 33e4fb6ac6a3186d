import type { z } from 'zod'
import { closedObjectSchema, idSchema, objectSchema, textSchema } from '../../kernel/validate.js'
import type { RequestOrigin } from '../access/principal.js'
import { newPasswordSchema } from './password-rules.js'

/** Body of `POST /auth/setup`. */
export const passwordSetupSchema: z.ZodType<PasswordSetup> = objectSchema({
  token: textSchema({ min: 1, max: 200 }),
  password: newPasswordSchema,
})

/** Body of `POST /auth/reset`. */
export const passwordResetSchema: z.ZodType<PasswordReset> = objectSchema({
  email: textSchema({ min: 1, max: 320 }),
  customerId: idSchema().optional(),
})

export interface PasswordSetup {
  /** The token in the link of an invitation or a reset. */
  readonly token: string
  /** 12 to 1,000 characters. Common passwords, the e-mail address and a repeated piece are refused. */
  readonly password: string
}

export interface PasswordReset {
  readonly email: string
  /** Company of the user. Default: one link for each company that has a user with this address, at most five. */
  readonly customerId?: number | undefined
}

/** Options of a password check. */
export interface PasswordCheck extends RequestOrigin {
  /** The user's company. Default: the one whose user has this address and this password. */
  readonly companyId?: number | undefined
  /** The entered one-time password or recovery code. Required if the user has one-time passwords. */
  readonly otp?: string | undefined
}

const CHECK_TEXT = textSchema({ max: 1_000 }).optional()

/** Closed, so that a login with a misspelt `companyId` is refused instead of searching all companies. */
export const PASSWORD_CHECK: z.ZodType<PasswordCheck> = closedObjectSchema({
  companyId: idSchema().optional(),
  otp: CHECK_TEXT,
  remoteAddress: CHECK_TEXT,
  requestId: CHECK_TEXT,
})
