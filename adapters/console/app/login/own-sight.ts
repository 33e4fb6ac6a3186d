import { type Login, useLogin } from './use-login.js'

export type Sight = 'user' | 'account'

/** The contexts that this login sees: the user's own and shared ones, or all of the account. */
export function useOwnSight(): Sight {
  const { login } = useLogin()
  return (login as Login & { readonly sight?: Sight }).sight ?? (login.kind === 'password' ? 'user' : 'account')
}
