import type { ReactElement } from 'react'
import { useFormat } from '../../texts/format.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { useCompanyName } from '../companies.js'
import type { Destination } from '../queries.js'
import { DestinationState } from './destination-state.js'
import { EventTypes } from './event-types.js'

const TEXTS = phrases({
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
export function DestinationFacts({ destination }: { readonly destination: Destination }): ReactElement {
  const texts = useTexts(TEXTS)
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
