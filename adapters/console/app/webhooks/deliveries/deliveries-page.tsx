import type { ReactElement } from 'react'
import { useSearchParams } from 'wouter'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Select } from '../../ui/form/fields.js'
import { EmptyState } from '../../ui/notes.js'
import { PageHead } from '../../ui/page-head.js'
import { useDestinationName } from '../companies.js'
import { nameOf } from '../destinations/destination-state.js'
import { useCatalog, useDestinations } from '../queries.js'
import { WebhookTabs } from '../webhook-tabs.js'
import { DeliveryLog } from './delivery-log.js'
import { STATUSES, useStatusTexts } from './delivery-status.js'
import type { DeliveryFilter } from './live-deliveries.js'
import { ResendAll } from './resend-all.js'

const TEXTS = phrases({
  en: {
    title: 'Webhook deliveries',
    about: 'Each event on its way to each destination, with what the receiver answered.',
    destination: 'Destination',
    status: 'Status',
    type: 'Event',
    any: 'All',
    clear: 'Show all',
    none: 'No delivery matches',
    noneText: 'Choose other filters, or wait: a delivery appears here as soon as it matches.',
  },
  de: {
    title: 'Webhook-Zustellungen',
    about: 'Jedes Ereignis auf dem Weg zu jedem Ziel, mit der Antwort des Empfängers.',
    destination: 'Ziel',
    status: 'Status',
    type: 'Ereignis',
    any: 'Alle',
    clear: 'Alle anzeigen',
    none: 'Keine passende Zustellung',
    noneText: 'Wähle andere Filter oder warte: Eine Zustellung erscheint hier, sobald sie passt.',
  },
})

const ANY = 'any'
const FILTERS = ['destination', 'status', 'type'] as const

/** The live log with its filters, which the address of the page keeps: at `/webhooks/deliveries`. */
export function DeliveriesPage(): ReactElement {
  const texts = useTexts(TEXTS)
  const [params, setParams] = useSearchParams()
  const filter = filterOf(params)
  const isFiltered = Object.keys(filter).length > 0
  const set = (name: (typeof FILTERS)[number], value: string): void =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before)
        if (value === ANY) after.delete(name)
        else after.set(name, value)
        return after
      },
      { replace: true },
    )
  const clear = (): void => setParams({}, { replace: true })
  return (
    <>
      <PageHead title={texts.title} actions={<ResendAll key={JSON.stringify(filter)} filter={filter} />}>
        {texts.about}
      </PageHead>
      <WebhookTabs />
      <Filters filter={filter} onChange={set} />
      <DeliveryLog
        // Another filter is another log.
        key={JSON.stringify(filter)}
        filter={filter}
        empty={
          isFiltered ? (
            <EmptyState title={texts.none} action={<Button onPress={clear}>{texts.clear}</Button>}>
              <p>{texts.noneText}</p>
            </EmptyState>
          ) : undefined
        }
      />
    </>
  )
}

interface FiltersProps {
  readonly filter: DeliveryFilter
  readonly onChange: (name: (typeof FILTERS)[number], value: string) => void
}

function Filters({ filter, onChange }: FiltersProps): ReactElement {
  const texts = useTexts(TEXTS)
  const { names } = useStatusTexts()
  const { data: destinations = [] } = useDestinations(undefined)
  const { data: catalog = [] } = useCatalog()
  const destinationName = useDestinationName()
  const any = { value: ANY, label: texts.any }
  const { destinationId, status, type } = filter
  const known = destinations.map((destination) => ({ value: String(destination.id), label: nameOf(destination) }))
  const types = catalog.map((entry) => entry.type)
  return (
    <div className="hooks-filters">
      <Select
        label={texts.destination}
        value={destinationId === undefined ? ANY : String(destinationId)}
        onChange={(id) => onChange('destination', id)}
        choices={withChosen([any, ...known], destinationId, (id) => destinationName(id))}
      />
      <Select
        label={texts.status}
        value={status ?? ANY}
        onChange={(each) => onChange('status', each)}
        choices={[any, ...STATUSES.map((each) => ({ value: each, label: names[each] }))]}
      />
      <Select
        label={texts.type}
        value={type ?? ANY}
        onChange={(each) => onChange('type', each)}
        choices={withChosen([any, ...types.map((each) => ({ value: each, label: each }))], type, (each) => each)}
      />
    </div>
  )
}

/** Adds the chosen value, which may be of a deleted destination or a former type. */
function withChosen<Value extends string | number>(
  choices: readonly { readonly value: string; readonly label: string }[],
  chosen: Value | undefined,
  labelOf: (value: Value) => string,
): readonly { readonly value: string; readonly label: string }[] {
  if (chosen === undefined || choices.some(({ value }) => value === String(chosen))) return choices
  return [...choices, { value: String(chosen), label: labelOf(chosen) }]
}

/** Reads the filter of an address. An invalid filter counts as none. */
function filterOf(params: URLSearchParams): DeliveryFilter {
  const destination = params.get('destination') ?? ''
  const status = STATUSES.find((each) => each === params.get('status'))
  const type = params.get('type')
  return {
    ...(/^[1-9]\d{0,14}$/.test(destination) && { destinationId: Number(destination) }),
    ...(status !== undefined && { status }),
    ...(type !== null && type !== '' && { type }),
  }
}
