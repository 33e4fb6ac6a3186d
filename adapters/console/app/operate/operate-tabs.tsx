import type { ReactElement } from 'react'
import { useLocation } from 'wouter'
import { phrases, useTexts } from '../texts/phrases.js'
import { LinkTabs } from '../ui/link-tabs.js'

const TEXTS = phrases({
  en: { label: 'Pages of operation', state: 'State', quotas: 'Quotas', doctor: 'Doctor', audit: 'Audit trail' },
  de: { label: 'Seiten des Betriebs', state: 'Status', quotas: 'Kontingente', doctor: 'Prüfung', audit: 'Protokoll' },
})

/** The pages of the section as links. @param isOperator true for managers of the root company */
export function OperateTabs({ isOperator }: { readonly isOperator: boolean }): ReactElement {
  const texts = useTexts(TEXTS)
  const [path] = useLocation()
  const pages = [
    ['/operate', texts.state],
    ['/operate/quotas', texts.quotas],
    ...(isOperator ? ([['/operate/doctor', texts.doctor]] as const) : []),
    ['/operate/audit', texts.audit],
  ] as const
  const tabs = pages.map(([href, title]) => ({ href, title, isCurrent: path === href }))
  return <LinkTabs label={texts.label} tabs={tabs} />
}
