import { type ReactElement, type ReactNode, useRef } from 'react'
import { Link } from 'wouter'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Badge, EmptyState, ErrorNote, Loaded } from '../../ui/notes.js'
import { Row, Table } from '../../ui/table.js'
import { useDestinationName } from '../companies.js'
import { DeliveryProblem, DeliveryStatusBadge, useExactTime } from './delivery-status.js'
import { type DeliveryFilter, type LoggedDelivery, useLiveDeliveries } from './live-deliveries.js'

const TEXTS = phrases({
  en: {
    label: 'Log of deliveries',
    news: (count: number, isMore: boolean) => (isMore ? `More than ${count} new` : `${count} new`),
    live: 'The log is live: it asks for new deliveries every two seconds.',
    columns: {
      time: 'Recorded',
      type: 'Event',
      destination: 'Destination',
      status: 'Status',
      answer: 'Answer',
      attempts: 'Attempts',
    },
    left: 'has another status now',
    empty: 'No deliveries yet',
    emptyText:
      'Each event makes one delivery for each destination that wants it. Open a destination and send it a test event to see one.',
    more: 'Show older ones',
  },
  de: {
    label: 'Protokoll der Zustellungen',
    news: (count, isMore) => (isMore ? `Mehr als ${count} neue` : `${count} neue`),
    live: 'Das Protokoll ist live: Alle zwei Sekunden fragt es nach neuen Zustellungen.',
    columns: {
      time: 'Aufgezeichnet',
      type: 'Ereignis',
      destination: 'Ziel',
      status: 'Status',
      answer: 'Antwort',
      attempts: 'Versuche',
    },
    left: 'hat jetzt einen anderen Status',
    empty: 'Noch keine Zustellungen',
    emptyText:
      'Jedes Ereignis wird für jedes Ziel, das es bekommt, zu einer Zustellung. Öffne ein Ziel und sende ihm ein Testereignis, dann siehst du eine.',
    more: 'Ältere anzeigen',
  },
})

interface DeliveryLogProps {
  readonly filter: DeliveryFilter
  /** Shown if no delivery matches the filter. Default: how deliveries come about. */
  readonly empty?: ReactNode
}

/** The deliveries of a filter, the newest first, as they happen. */
export function DeliveryLog({ filter, empty }: DeliveryLogProps): ReactElement {
  const texts = useTexts(TEXTS)
  const place = useRef<HTMLDivElement>(null)
  const log = useLiveDeliveries(filter)
  const showNew = (): void => {
    log.showNew()
    // The button goes, so the keyboard needs a place.
    place.current?.focus()
    place.current?.scrollIntoView()
  }
  return (
    <div ref={place} tabIndex={-1} className="hooks-log">
      <div className={log.newCount > 0 ? 'hooks-new hooks-new-some' : 'hooks-new'} role="status">
        {log.newCount > 0 ? (
          <Button onPress={showNew}>{texts.news(log.newCount, log.isMoreNew)}</Button>
        ) : (
          <span className="hint">{texts.live}</span>
        )}
      </div>
      <ErrorNote error={log.pollError} />
      <Loaded query={log}>
        {(deliveries) =>
          deliveries.length > 0 ? (
            <LogTable deliveries={deliveries} />
          ) : (
            (empty ?? (
              <EmptyState title={texts.empty}>
                <p>{texts.emptyText}</p>
              </EmptyState>
            ))
          )
        }
      </Loaded>
      {log.hasNextPage && (
        <div className="hooks-more">
          <Button isPending={log.isFetchingNextPage} onPress={() => void log.fetchNextPage()}>
            {texts.more}
          </Button>
        </div>
      )}
    </div>
  )
}

function LogTable({ deliveries }: { readonly deliveries: readonly LoggedDelivery[] }): ReactElement {
  const { label, columns, left } = useTexts(TEXTS)
  const exactTime = useExactTime()
  const destinationName = useDestinationName()
  return (
    <Table
      label={label}
      columns={[
        { name: columns.time },
        { name: columns.type },
        { name: columns.destination },
        { name: columns.status },
        { name: columns.answer },
        { name: columns.attempts, isNumber: true },
      ]}
    >
      {deliveries.map(
        ({ id, created, type, destinationId, status, httpStatus, error, reason, attemptCount, isLeft }) => (
          <Row
            key={id}
            cells={[
              <Link href={`/webhooks/deliveries/${id}`}>{exactTime(created)}</Link>,
              <code>{type}</code>,
              destinationName(destinationId),
              isLeft ? <Badge>{left}</Badge> : <DeliveryStatusBadge key="status" status={status} />,
              httpStatus !== null ? (
                `HTTP ${httpStatus}`
              ) : error === null ? (
                '–'
              ) : (
                <DeliveryProblem error={error} reason={reason} />
              ),
              attemptCount,
            ]}
          />
        ),
      )}
    </Table>
  )
}
