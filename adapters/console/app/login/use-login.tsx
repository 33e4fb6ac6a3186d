import { createContext, type ReactElement, type ReactNode, use } from 'react'
import type { Schema } from '../api/api.js'

export type Login = Schema<'Login'>
export type LoginAccount = Login['accounts'][number]

/** A right of the user: the capabilities of the specification. */
export type Capability =
  | 'context:read'
  | 'context:write'
  | 'document:write'
  | 'search'
  | 'tenant:manage'
  | 'webhook:manage'

/** The login of the page, with the account for which it acts. */
export interface CurrentLogin {
  readonly login: Login
  /** Undefined for a user without a permission. */
  readonly account: LoginAccount | undefined
  readonly chooseAccount: (accountId: number) => void
  /** The account of the chosen company for users, webhooks and operation. Undefined for a user who manages nothing. */
  readonly tenantAccount: LoginAccount | undefined
  readonly chooseTenantAccount: (accountId: number) => void
  readonly logOut: () => Promise<void>
  /**
   * True if the user may do something: contexts, documents and searches by the chosen account; users and webhooks by the
   * account of the chosen company.
   */
  readonly can: (capability: Capability) => boolean
}

const LoginContext = createContext<CurrentLogin | undefined>(undefined)

export function LoginProvider({
  current,
  children,
}: {
  readonly current: CurrentLogin
  readonly children: ReactNode
}): ReactElement {
  return <LoginContext value={current}>{children}</LoginContext>
}

export function useLogin(): CurrentLogin {
  const current = use(LoginContext)
  if (current === undefined) throw new Error('useLogin needs a LoginProvider')
  return current
}
