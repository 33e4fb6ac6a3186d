import type { ReactElement } from 'react'
import { Route, Switch } from 'wouter'
import { phrases, useTexts } from '../texts/phrases.js'
import { EmptyState } from '../ui/notes.js'
import { PageHead } from '../ui/page-head.js'
import { CatalogPage } from './catalog/catalog-page.js'
import { DeliveriesPage } from './deliveries/deliveries-page.js'
import { DeliveryPage } from './deliveries/delivery-page.js'
import { DestinationPage } from './destinations/destination-page.js'
import { DestinationsPage } from './destinations/destinations-page.js'
import { EditDestination, NewDestination } from './destinations/new-destination.js'
import { WebhookTabs } from './webhook-tabs.js'
import './webhooks.css'

const TEXTS = phrases({
  en: { unknown: 'Webhooks', unknownText: 'There is no such page. Choose one of the tabs above.' },
  de: { unknown: 'Webhooks', unknownText: 'Diese Seite gibt es nicht. Wähle oben einen Teil.' },
})

/** Destinations of events, the log of their deliveries, and the catalog of event types. */
export default function Webhooks(): ReactElement {
  return (
    <Switch>
      <Route path="/webhooks" component={DestinationsPage} />
      <Route path="/webhooks/destinations/new" component={NewDestination} />
      <Route path="/webhooks/destinations/:id">{({ id }) => <DestinationPage key={id} id={numberOf(id)} />}</Route>
      <Route path="/webhooks/destinations/:id/edit">{({ id }) => <EditDestination key={id} id={numberOf(id)} />}</Route>
      <Route path="/webhooks/deliveries" component={DeliveriesPage} />
      <Route path="/webhooks/deliveries/:id">{({ id }) => <DeliveryPage key={id} id={numberOf(id)} />}</Route>
      <Route path="/webhooks/catalog" component={CatalogPage} />
      <Route component={UnknownPage} />
    </Switch>
  )
}

function UnknownPage(): ReactElement {
  const texts = useTexts(TEXTS)
  return (
    <>
      <PageHead title={texts.unknown} />
      <WebhookTabs />
      <EmptyState title={texts.unknown}>{texts.unknownText}</EmptyState>
    </>
  )
}

/** The id of a path; 0, which nothing has, for another text. */
function numberOf(id: string): number {
  return /^\d{1,15}$/.test(id) ? Number(id) : 0
}
