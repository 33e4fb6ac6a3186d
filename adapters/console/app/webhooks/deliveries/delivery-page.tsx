import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { Link, useLocation } from 'wouter'
import { AlcoveApiError, dataOf, useApi } from '../../api/api.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { CopyButton } from '../../ui/copy-button.js'
import { ErrorNote, Loaded } from '../../ui/notes.js'
import { BackLink, PageHead } from '../../ui/page-head.js'
import { toast } from '../../ui/toasts.js'
import { nameOf } from '../destinations/destination-state.js'
import { type Delivery, type DeliveryWithAttempts, useDelivery, useDestination, WEBHOOKS_KEY } from '../queries.js'
import { Attempts } from './attempts.js'
import { DeliveryProblem, DeliveryStatusBadge, useExactTime, useStatusTexts } from './delivery-status.js'

const TEXTS = phrases({
  en: {
    title: (id: number) => `Delivery ${id}`,
    back: 'All deliveries',
    status: 'Status',
    destination: 'Destination',
    deleted: (id: number) => `${id} (deleted)`,
    event: 'Event',
    eventId: 'Id of the event',
    recorded: 'Recorded',
    copyOf: 'Repeats',
    next: 'Next attempt',
    nextText: (attempts: number, of: number) => `by itself; ${attempts} of at most ${of} made`,
    longText: 'The pauses grow from five seconds to ten hours.',
    resend: 'Send again',
    resent: (id: number) => `Sent again as delivery ${id}`,
    problem: 'Problem',
    attempts: 'Attempts',
    body: 'Request body',
    bodyText: 'Indented to be read. The signature covers the original bytes, which the button copies.',
  },
  de: {
    title: (id) => `Zustellung ${id}`,
    back: 'Alle Zustellungen',
    status: 'Status',
    destination: 'Ziel',
    deleted: (id) => `${id} (gelöscht)`,
    event: 'Ereignis',
    eventId: 'ID des Ereignisses',
    recorded: 'Aufgezeichnet',
    copyOf: 'Wiederholt',
    next: 'Nächster Versuch',
    nextText: (attempts, of) => `folgt von selbst, bisher ${attempts} von höchstens ${of}`,
    longText: 'Die Pausen wachsen von fünf Sekunden auf zehn Stunden.',
    resend: 'Noch einmal senden',
    resent: (id) => `Noch einmal gesendet als Zustellung ${id}`,
    problem: 'Problem',
    attempts: 'Versuche',
    body: 'Inhalt der Anfrage',
    bodyText: 'Zum Lesen eingerückt. Die Signatur gilt für die ursprünglichen Bytes, die „Kopieren“ liefert.',
  },
})

const MAX_ATTEMPTS = { standard: 3, long: 11 } as const

/** One delivery with its attempts and its body: at `/webhooks/deliveries/{id}`. */
export function DeliveryPage({ id }: { readonly id: number }): ReactElement {
  const texts = useTexts(TEXTS)
  const query = useDelivery(id)
  return (
    <>
      <BackLink href="/webhooks/deliveries">{texts.back}</BackLink>
      <PageHead title={texts.title(id)} actions={query.data && <Resend delivery={query.data} />} />
      <Loaded query={query}>
        {(delivery) => (
          <>
            <section className="panel">
              <Facts delivery={delivery} />
            </section>
            <h2>{texts.attempts}</h2>
            <Attempts attempts={delivery.attempts} />
            <h2>{texts.body}</h2>
            <p className="hint">{texts.bodyText}</p>
            <pre>{indented(delivery.payload)}</pre>
            <CopyButton text={delivery.payload} />
          </>
        )}
      </Loaded>
    </>
  )
}

function Facts({ delivery }: { readonly delivery: DeliveryWithAttempts }): ReactElement {
  const { status, type, eventId, created, resendOf, destinationId, attemptCount, attempts, error: problem } = delivery
  const texts = useTexts(TEXTS)
  const { meanings } = useStatusTexts()
  const exactTime = useExactTime()
  const { data: destination, error } = useDestination(destinationId)
  const isDeleted = error instanceof AlcoveApiError && error.status === 404
  return (
    <dl className="facts">
      <dt>{texts.status}</dt>
      <dd>
        <span role="status">
          <DeliveryStatusBadge status={status} /> {meanings[status]}
        </span>
      </dd>
      {problem !== null && problem !== attempts.at(-1)?.error && (
        <>
          <dt>{texts.problem}</dt>
          <dd>
            <DeliveryProblem error={problem} reason={delivery.reason} />
          </dd>
        </>
      )}
      {status === 'pending' && attemptCount > 0 && destination !== undefined && (
        <>
          <dt>{texts.next}</dt>
          <dd>
            {texts.nextText(attemptCount, MAX_ATTEMPTS[destination.retry])}
            {destination.retry === 'long' && ` ${texts.longText}`}
          </dd>
        </>
      )}
      <dt>{texts.destination}</dt>
      <dd>
        {isDeleted ? (
          texts.deleted(destinationId)
        ) : (
          <Link href={`/webhooks/destinations/${destinationId}`}>
            {destination === undefined ? destinationId : nameOf(destination)}
          </Link>
        )}
      </dd>
      <dt>{texts.event}</dt>
      <dd>
        <code>{type}</code>
      </dd>
      <dt>{texts.eventId}</dt>
      <dd>
        <code>{eventId}</code>
      </dd>
      <dt>{texts.recorded}</dt>
      <dd>{exactTime(created)}</dd>
      {resendOf !== null && (
        <>
          <dt>{texts.copyOf}</dt>
          <dd>
            <Link href={`/webhooks/deliveries/${resendOf}`}>{texts.title(resendOf)}</Link>
          </dd>
        </>
      )}
    </dl>
  )
}

function Resend({ delivery: { id } }: { readonly delivery: Delivery }): ReactElement {
  const texts = useTexts(TEXTS)
  const api = useApi()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const resend = useMutation({
    mutationFn: async () =>
      await dataOf(api.POST('/v1/outbound-webhooks/deliveries/{id}/resend', { params: { path: { id } } })),
    onSuccess: (sent) => {
      void queries.invalidateQueries({ queryKey: [...WEBHOOKS_KEY, 'newest'] })
      toast({ text: texts.resent(sent.id) })
      navigate(`/webhooks/deliveries/${sent.id}`)
    },
  })
  return (
    <>
      <Button kind="primary" isPending={resend.isPending} onPress={() => resend.mutate()}>
        {texts.resend}
      </Button>
      <ErrorNote error={resend.error} />
    </>
  )
}

function indented(payload: string): string {
  try {
    return JSON.stringify(JSON.parse(payload), undefined, 2)
  } catch {
    // The stored bytes are damaged.
    return payload
  }
}
