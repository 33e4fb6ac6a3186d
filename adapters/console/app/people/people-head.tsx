import type { ReactElement, ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useTexts } from '../texts/phrases.js'
import { PageHead } from '../ui/page-head.js'
import { LinkTabs } from '../ui/tabs.js'
import { TEXTS } from './people-texts.js'

/** The top of the pages with a tab, with links to the others. */
export function PeopleHead({ actions }: { readonly actions?: ReactNode }): ReactElement {
  const texts = useTexts(TEXTS)
  const [path] = useLocation()
  const tabs = [
    { path: '/people', title: texts.users },
    { path: '/people/roles', title: texts.roles },
    { path: '/people/keys', title: texts.keys },
  ]
  const shown = tabs.find((tab) => tab.path === path)
  return (
    <>
      <PageHead title={shown === undefined ? texts.title : `${texts.title}: ${shown.title}`} actions={actions}>
        {texts.intro}
      </PageHead>
      <LinkTabs
        label={texts.tabs}
        tabs={tabs.map((tab) => ({ href: tab.path, title: tab.title, isCurrent: tab === shown }))}
      />
    </>
  )
}
