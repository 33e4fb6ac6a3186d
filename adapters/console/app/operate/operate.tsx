import './operate.css'
import type { ReactElement } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { useInstallation } from '../api/use-installation.js'
import { phrases, useTexts } from '../texts/phrases.js'
import { EmptyState } from '../ui/notes.js'
import { PageHead } from '../ui/page-head.js'
import { LinkTabs } from '../ui/tabs.js'
import { AuditPage } from './audit/audit-page.js'
import { DoctorPage } from './doctor/doctor-page.js'
import { useDoctor } from './doctor/use-doctor.js'
import { QuotasPage } from './quotas/quotas-page.js'
import { StatePage } from './state/state-page.js'

const TEXTS = phrases({
  en: {
    title: 'Operate',
    unknown: 'There is no such page',
    unknownText: 'The address may be misspelt. Choose a page above.',
  },
  de: {
    title: 'Betrieb',
    unknown: 'Diese Seite gibt es nicht',
    unknownText: 'Die Adresse ist falsch geschrieben. Wähle oben eine Seite.',
  },
})

/** The state of the installation, quotas, the doctor and the audit trail. */
export default function Operate(): ReactElement {
  const texts = useTexts(TEXTS)
  // The run goes on while the user looks at the other pages of this section.
  const doctor = useDoctor()
  const { data, isPending } = useInstallation(false)
  const tabs = <OperateTabs isOperator={!isPending && data !== null} />
  return (
    <Switch>
      <Route path="/operate">
        <StatePage tabs={tabs} />
      </Route>
      <Route path="/operate/quotas">
        <QuotasPage tabs={tabs} />
      </Route>
      <Route path="/operate/doctor">
        <DoctorPage doctor={doctor} tabs={tabs} />
      </Route>
      <Route path="/operate/audit">
        <AuditPage tabs={tabs} />
      </Route>
      <Route>
        <PageHead title={texts.title} />
        {tabs}
        <EmptyState title={texts.unknown}>{texts.unknownText}</EmptyState>
      </Route>
    </Switch>
  )
}

const OPERATE_TABS_TEXTS = phrases({
  en: { label: 'Pages of operation', state: 'State', quotas: 'Quotas', doctor: 'Doctor', audit: 'Audit trail' },
  de: { label: 'Seiten des Betriebs', state: 'Status', quotas: 'Kontingente', doctor: 'Prüfung', audit: 'Protokoll' },
})

/** The pages of the section as links. @param isOperator true for managers of the root company */
function OperateTabs({ isOperator }: { readonly isOperator: boolean }): ReactElement {
  const texts = useTexts(OPERATE_TABS_TEXTS)
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
