import type { RateLimit, Repositories } from '../../ports/index.js'

const MINUTE_MS = 60_000

/**
 * Limits of wrong codes of one user. Three codes of a million are right at a time: 20 guesses find one with a chance of
 * 6 in 100,000. Nobody gets here without the password, so that no stranger locks a user out.
 */
const LIMITS = [
  { name: 'otp-15-minutes', most: 5, windowMs: 15 * MINUTE_MS },
  { name: 'otp-day', most: 20, windowMs: 24 * 60 * MINUTE_MS },
] as const

type Rates = Pick<Repositories, 'rates'>

/** How long no code of the user is looked at, in milliseconds; 0 where one is. */
export async function otpWaitMs({ rates }: Rates, userId: number, now: Date): Promise<number> {
  let waitMs = 0
  for (const [name, limit] of limitsOf(userId, now)) {
    waitMs = Math.max(waitMs, (await rates.peek(name, limit)).retryAfterMs)
  }
  return waitMs
}

/** Counts a wrong code. */
export async function countWrongOtp({ rates }: Rates, userId: number, now: Date): Promise<void> {
  for (const [name, limit] of limitsOf(userId, now)) await rates.take(name, limit)
}

/** Forgets wrong codes: they were for another secret. */
export async function forgetWrongOtps({ rates }: Rates, userId: number, now: Date): Promise<void> {
  for (const [name] of limitsOf(userId, now)) await rates.forget(name)
}

function limitsOf(userId: number, now: Date): [name: string, limit: RateLimit][] {
  return LIMITS.map(({ name, most, windowMs }) => [`${name}:${userId}`, { most, windowMs, now }])
}
