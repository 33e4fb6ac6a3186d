import type { ReactElement } from 'react'
import { useLocation } from 'wouter'
import { phrases, useTexts } from '../texts/phrases.js'
import { LinkTabs } from '../ui/tabs.js'

const TEXTS = phrases({
  en: { label: 'Webhooks', destinations: 'Destinations', deliveries: 'Deliveries', catalog: 'Catalog' },
  de: { label: 'Webhooks', destinations: 'Ziele', deliveries: 'Zustellungen', catalog: 'Katalog' },
})

const TABS = [
  { name: 'destinations', href: '/webhooks' },
  { name: 'deliveries', href: '/webhooks/deliveries' },
  { name: 'catalog', href: '/webhooks/catalog' },
] as const

/** The three parts of the section as links. */
export function WebhookTabs(): ReactElement {
  const texts = useTexts(TEXTS)
  const [path] = useLocation()
  const current = TABS.find(({ name }) => path.startsWith(`/webhooks/${name}`)) ?? TABS[0]
  const tabs = TABS.map((tab) => ({ href: tab.href, title: texts[tab.name], isCurrent: tab === current }))
  return <LinkTabs label={texts.label} tabs={tabs} />
}
