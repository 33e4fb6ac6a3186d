import type { Capability, CurrentLogin, Login, LoginAccount } from './use-login.js'

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
