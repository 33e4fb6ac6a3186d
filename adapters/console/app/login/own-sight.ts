import { type Login, useLogin } from './use-login.js'

export type Sight = Login['sight']

/** The contexts that this login sees: the user's own and shared ones, or all of the account. */
export function useOwnSight(): Sight {
  return useLogin().login.sight
}
