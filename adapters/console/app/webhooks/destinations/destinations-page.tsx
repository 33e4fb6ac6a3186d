import { type ReactElement, useState } from 'react'
import { Link } from 'wouter'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button, ButtonLink } from '../../ui/buttons.js'
import { Select } from '../../ui/form/fields.js'
import { EmptyState, Loaded } from '../../ui/notes.js'
import { PageHead } from '../../ui/page-head.js'
import { Row, Table } from '../../ui/table.js'
import { useCompanies, useCompanyName, useFirstCompany } from '../companies.js'
import { type Destination, useDestinations } from '../queries.js'
import { WebhookTabs } from '../webhook-tabs.js'
import { DestinationState, nameOf } from './destination-state.js'
import { EventTypes } from './event-type-choice.js'

const TEXTS = phrases({
  en: {
    title: 'Webhook destinations',
    about: 'Alcove sends events to these addresses, each as a signed request.',
    add: 'Add a destination',
    company: 'Company',
    empty: 'No destination yet',
    emptyText:
      'A destination is an HTTPS address of another program. Alcove tells it at once when something happens, such as a finished run or a document that could not be read. Add the first one, then send it a test event.',
    columns: { destination: 'Destination', state: 'State', types: 'Events', company: 'Company' },
    below: 'and the companies below it',
    more: 'Show more',
  },
  de: {
    title: 'Webhook-Ziele',
    about: 'An diese Adressen sendet Alcove Ereignisse, jedes als signierte Anfrage.',
    add: 'Ziel hinzufügen',
    company: 'Firma',
    empty: 'Noch kein Ziel',
    emptyText:
      'Ein Ziel ist eine HTTPS-Adresse eines anderen Programms. Alcove meldet ihm sofort, was passiert, etwa wenn ein Lauf fertig ist oder ein Dokument nicht lesbar war. Füge das erste hinzu und sende ihm ein Testereignis.',
    columns: { destination: 'Ziel', state: 'Status', types: 'Ereignisse', company: 'Firma' },
    below: 'und untergeordnete Firmen',
    more: 'Mehr anzeigen',
  },
})

/** The list of destinations: at `/webhooks`. */
export function DestinationsPage(): ReactElement {
  const texts = useTexts(TEXTS)
  const companies = useCompanies()
  const firstCompany = useFirstCompany()
  const [chosenCompany, setCompanyId] = useState<number>()
  const companyId = chosenCompany ?? firstCompany
  const query = useDestinations(companyId)
  const add = (
    <ButtonLink href="/webhooks/destinations/new" kind="primary">
      {texts.add}
    </ButtonLink>
  )
  return (
    <>
      <PageHead title={texts.title} actions={query.data?.length === 0 ? undefined : add}>
        {texts.about}
      </PageHead>
      <WebhookTabs />
      {companies.length > 1 && (
        <Select
          label={texts.company}
          value={companyId === undefined ? null : String(companyId)}
          onChange={(id) => setCompanyId(Number(id))}
          choices={companies.map(({ id, name }) => ({ value: String(id), label: name }))}
        />
      )}
      <Loaded query={query}>
        {(destinations) =>
          destinations.length === 0 ? (
            <EmptyState title={texts.empty} action={add}>
              <p>{texts.emptyText}</p>
            </EmptyState>
          ) : (
            <DestinationTable destinations={destinations} />
          )
        }
      </Loaded>
      {query.hasNextPage && (
        <div className="hooks-more">
          <Button isPending={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
            {texts.more}
          </Button>
        </div>
      )}
    </>
  )
}

function DestinationTable({ destinations }: { readonly destinations: readonly Destination[] }): ReactElement {
  const { title, columns, below } = useTexts(TEXTS)
  const companyName = useCompanyName()
  return (
    <Table
      label={title}
      columns={[
        { name: columns.destination },
        { name: columns.state },
        { name: columns.types },
        { name: columns.company },
      ]}
    >
      {destinations.map((destination) => (
        <Row
          key={destination.id}
          cells={[
            <>
              <Link href={`/webhooks/destinations/${destination.id}`}>{nameOf(destination)}</Link>
              <div className="soft">{destination.url}</div>
            </>,
            <DestinationState destination={destination} />,
            <EventTypes types={destination.eventTypes} />,
            <>
              {companyName(destination.customerId)}
              {destination.includeDescendants && <div className="soft">{below}</div>}
            </>,
          ]}
        />
      ))}
    </Table>
  )
}
