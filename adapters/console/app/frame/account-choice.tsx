import type { ReactElement } from 'react'
import { useLocation } from 'wouter'
import { tenantAccountsOf } from '../login/accounts.js'
import { useLogin } from '../login/use-login.js'
import { phrases, useTexts } from '../texts/phrases.js'
import { Select } from '../ui/form/fields.js'
import { useLeave } from './guarded-router.js'

const TEXTS = phrases({
  en: { account: 'Account', company: 'Managed company' },
  de: { account: 'Konto', company: 'Verwaltete Firma' },
})

/** The sections about a company; the others are about an account with contexts. */
const OF_COMPANY = /^\/(?:people|webhooks|operate)(?:\/|$)/

/** Chooses the account of the present section, or the company that it manages. Nothing without a choice. */
export function AccountChoice(): ReactElement | null {
  const texts = useTexts(TEXTS)
  const { login, account, chooseAccount, tenantAccount, chooseTenantAccount } = useLogin()
  const [path, navigate] = useLocation()
  const leave = useLeave()
  const isOfCompany = OF_COMPANY.test(path)
  const accounts = isOfCompany
    ? tenantAccountsOf(login)
    : login.accounts.filter(({ application }) => application === 'assistant')
  if (accounts.length < 2) return null
  const chosen = isOfCompany ? tenantAccount : account
  const choose = isOfCompany ? chooseTenantAccount : chooseAccount
  return (
    <Select
      label={isOfCompany ? texts.company : texts.account}
      value={chosen === undefined ? null : String(chosen.id)}
      onChange={(id) =>
        leave(() => {
          choose(Number(id))
          // A GPT belongs to one account: its address leads nowhere in another one.
          if (!isOfCompany && String(account?.id) !== id && path !== '/gpts/new')
            navigate(`/${path.split('/')[1] ?? ''}`)
        })
      }
      choices={accounts.map(({ id, name, customerName }) => ({
        value: String(id),
        label: isOfCompany ? customerName : `${customerName}: ${name}`,
      }))}
    />
  )
}
