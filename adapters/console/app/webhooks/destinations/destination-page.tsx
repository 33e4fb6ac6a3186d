import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { dataOf, useApi } from '../../api/api.js'
import { useFormat } from '../../texts/format.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button, ButtonLink } from '../../ui/buttons.js'
import { ErrorNote, Loaded, Note } from '../../ui/notes.js'
import { BackLink, PageHead } from '../../ui/page-head.js'
import { toast } from '../../ui/toasts.js'
import { useCompanyName } from '../companies.js'
import { TestEvent } from '../deliveries/attempts.js'
import { DeliveryLog } from '../deliveries/delivery-log.js'
import { type Destination, useDestination, WEBHOOKS_KEY } from '../queries.js'
import { DeleteDestination } from './delete-destination.js'
import { differingSettings } from './destination-settings.js'
import { DestinationState, nameOf, useStateText } from './destination-state.js'
import { EventTypes } from './event-type-choice.js'
import { RotateSecret } from './secret-dialog.js'

const TEXTS = phrases({
  en: {
    title: 'Destination',
    back: 'All destinations',
    test: 'Send a test event',
    testAbout:
      'The test event is always a run.started of no run (its jobKey is all zeros), whichever events the destination gets.',
    edit: 'Change',
    enable: 'Enable',
    disable: 'Disable',
    deliveries: 'Deliveries',
    all: 'Filter its deliveries',
    changed: 'Somebody else has changed this destination meanwhile. Their changes are kept: look at them.',
  },
  de: {
    title: 'Ziel',
    back: 'Alle Ziele',
    test: 'Testereignis senden',
    testAbout:
      'Das Testereignis ist immer ein run.started, zu dem kein Lauf gehört (sein jobKey besteht aus Nullen), egal welche Ereignisse das Ziel bekommt.',
    edit: 'Ändern',
    enable: 'Aktivieren',
    disable: 'Deaktivieren',
    deliveries: 'Zustellungen',
    all: 'Diese Zustellungen filtern',
    changed: 'Jemand anderes hat dieses Ziel inzwischen geändert. Die Änderungen bleiben: Sieh sie dir an.',
  },
})

/** One destination, with what can be done with it: at `/webhooks/destinations/{id}`. */
export function DestinationPage({ id }: { readonly id: number }): ReactElement {
  const texts = useTexts(TEXTS)
  const query = useDestination(id)
  return (
    <>
      <BackLink href="/webhooks">{texts.back}</BackLink>
      <PageHead title={query.data === undefined ? texts.title : nameOf(query.data)} />
      <Loaded query={query}>{(destination) => <Destination destination={destination} />}</Loaded>
    </>
  )
}

function Destination({ destination }: { readonly destination: Destination }): ReactElement {
  const { id, disabled } = destination
  const texts = useTexts(TEXTS)
  const api = useApi()
  const queries = useQueryClient()
  const stateText = useStateText()(destination)
  const test = useMutation({
    mutationFn: async () =>
      await dataOf(api.POST('/v1/outbound-webhooks/destinations/{id}/test', { params: { path: { id } } })),
  })
  const toggle = useMutation({
    mutationFn: async () => {
      const params = { path: { id } }
      // The API wants the URL and the events too: those of now, not those that the page read.
      const { url, eventTypes } = await dataOf(api.GET('/v1/outbound-webhooks/destinations/{id}', { params }))
      const body = { url, eventTypes, disabled: !disabled }
      return await dataOf(api.PUT('/v1/outbound-webhooks/destinations/{id}', { params, body }))
    },
    onSuccess: (saved) => {
      if (differingSettings(saved, destination).length > 0) toast({ text: texts.changed })
    },
    // Also after a failure: somebody else may have deleted the destination.
    onSettled: async () => await queries.invalidateQueries({ queryKey: WEBHOOKS_KEY }),
  })
  return (
    <>
      {stateText !== undefined && <Note kind="warning">{stateText}</Note>}
      <section className="panel">
        <DestinationFacts destination={destination} />
        <div className="actions">
          <Button kind="primary" isDisabled={disabled} isPending={test.isPending} onPress={() => test.mutate()}>
            {texts.test}
          </Button>
          <ButtonLink href={`/webhooks/destinations/${id}/edit`}>{texts.edit}</ButtonLink>
          <RotateSecret destination={destination} />
          <Button isPending={toggle.isPending} onPress={() => toggle.mutate()}>
            {disabled ? texts.enable : texts.disable}
          </Button>
          <DeleteDestination destination={destination} />
        </div>
        <p className="hint">{texts.testAbout}</p>
      </section>
      <ErrorNote error={test.error ?? toggle.error} />
      {test.data !== undefined && <TestEvent key={test.data.id} deliveryId={test.data.id} />}
      <h2>{texts.deliveries}</h2>
      <DeliveryLog filter={{ destinationId: id }} />
      <p className="hooks-more">
        <Link href={`/webhooks/deliveries?destination=${id}`}>{texts.all}</Link>
      </p>
    </>
  )
}

const DESTINATION_FACTS_TEXTS = phrases({
  en: {
    state: 'State',
    url: 'URL',
    types: 'Events',
    company: 'Company',
    below: (company: string) => `${company} and the companies below it`,
    retry: 'Attempts',
    retries: { standard: 'three within seconds', long: 'eleven in about a day' },
    scheme: 'Signature',
    schemes: {
      service: 'x-service-signature',
      standard: 'Standard Webhooks',
      both: 'x-service-signature and Standard Webhooks',
    },
    previous: 'Old secret',
    previousText: (until: string) => `signs too until ${until}`,
    created: 'Added',
  },
  de: {
    state: 'Status',
    url: 'URL',
    types: 'Ereignisse',
    company: 'Firma',
    below: (company) => `${company} und untergeordnete Firmen`,
    retry: 'Versuche',
    retries: { standard: 'drei innerhalb weniger Sekunden', long: 'elf über etwa einen Tag' },
    scheme: 'Signatur',
    schemes: {
      service: 'x-service-signature',
      standard: 'Standard Webhooks',
      both: 'x-service-signature und Standard Webhooks',
    },
    previous: 'Altes Secret',
    previousText: (until) => `signiert auch noch bis ${until}`,
    created: 'Hinzugefügt',
  },
})

/** The settings of a destination. */
function DestinationFacts({ destination }: { readonly destination: Destination }): ReactElement {
  const texts = useTexts(DESTINATION_FACTS_TEXTS)
  const format = useFormat()
  const company = useCompanyName()(destination.customerId)
  return (
    <dl className="facts">
      <dt>{texts.state}</dt>
      <dd>
        <DestinationState destination={destination} />
      </dd>
      <dt>{texts.url}</dt>
      <dd>{destination.url}</dd>
      <dt>{texts.types}</dt>
      <dd>
        <EventTypes types={destination.eventTypes} />
      </dd>
      <dt>{texts.company}</dt>
      <dd>{destination.includeDescendants ? texts.below(company) : company}</dd>
      <dt>{texts.retry}</dt>
      <dd>{texts.retries[destination.retry]}</dd>
      <dt>{texts.scheme}</dt>
      <dd>{texts.schemes[destination.signatureScheme]}</dd>
      {destination.previousSecretExpires !== null && (
        <>
          <dt>{texts.previous}</dt>
          <dd>{texts.previousText(format.time(destination.previousSecretExpires))}</dd>
        </>
      )}
      <dt>{texts.created}</dt>
      <dd>{format.time(destination.created)}</dd>
    </dl>
  )
}
