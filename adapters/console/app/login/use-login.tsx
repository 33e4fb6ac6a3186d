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
interface CurrentLogin {
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

export type Sight = Login['sight']

/** The contexts that this login sees: the user's own and shared ones, or all of the account. */
export function useOwnSight(): Sight {
  return useLogin().login.sight
}

const OF_TENANT: readonly Capability[] = ['tenant:manage', 'webhook:manage']

/** The account for contexts: the one that the user chose once, or else the first one. */
export function accountOf({ accounts }: Login, chosenId: number | undefined): LoginAccount | undefined {
  const contextAccounts = accounts.filter(({ application }) => application === 'assistant')
  return accounts.find(({ id }) => id === chosenId) ?? contextAccounts[0] ?? accounts[0]
}

/** The accounts by which the user manages companies. */
export function tenantAccountsOf({ accounts }: Login): readonly LoginAccount[] {
  return accounts.filter(
    ({ application, capabilities }) =>
      application === 'tenant' && OF_TENANT.some((each) => capabilities.includes(each)),
  )
}

/** The account of the company that the user manages: the one that the user chose once, or else that of the own company. */
export function tenantAccountOf(login: Login, chosenId: number | undefined): LoginAccount | undefined {
  const accounts = tenantAccountsOf(login)
  return (
    accounts.find(({ id }) => id === chosenId) ??
    accounts.find(({ customerId }) => customerId === login.user.customerId) ??
    accounts[0]
  )
}

/** @param account for contexts @param tenantAccount for users and webhooks */
export function canOf(account: LoginAccount | undefined, tenantAccount: LoginAccount | undefined): CurrentLogin['can'] {
  return (capability) => {
    const able = OF_TENANT.includes(capability) ? tenantAccount : account
    return able?.capabilities.includes(capability) ?? false
  }
}
