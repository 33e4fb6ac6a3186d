import type { ReactElement } from 'react'
import { Link } from 'wouter'
import type { Schema } from '../../api/api.js'
import { useFormat } from '../../texts/format.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Loaded } from '../../ui/notes.js'
import { useDelivery } from '../queries.js'
import { DeliveryProblem, DeliveryStatusBadge, OutcomeBadge, useExactTime, useStatusTexts } from './delivery-status.js'

const TEXTS = phrases({
  en: {
    attempt: (number: number) => `Attempt ${number}`,
    started: 'Started',
    answer: 'Answer',
    duration: 'Duration',
    error: 'Problem',
    body: 'Beginning of the answer',
    noBody: 'The answer has no text.',
    none: 'No attempt yet.',
  },
  de: {
    attempt: (number) => `Versuch ${number}`,
    started: 'Begonnen',
    answer: 'Antwort',
    duration: 'Dauer',
    error: 'Problem',
    body: 'Anfang der Antwort',
    noBody: 'Die Antwort hat keinen Text.',
    none: 'Noch kein Versuch.',
  },
})

/** The attempts at a delivery, with what the receiver answered. Answers are always shown as text. */
export function Attempts({ attempts }: { readonly attempts: readonly Schema<'Attempt'>[] }): ReactElement {
  const texts = useTexts(TEXTS)
  const format = useFormat()
  const exactTime = useExactTime()
  if (attempts.length === 0) return <p className="soft">{texts.none}</p>
  return (
    <ol className="hooks-attempts">
      {attempts.map(({ outcome, httpStatus, error, reason, responseBody, started, durationMs }, index) => (
        <li key={started}>
          <h3>
            {texts.attempt(index + 1)} <OutcomeBadge outcome={outcome} />
          </h3>
          <dl className="facts">
            <dt>{texts.started}</dt>
            <dd>{exactTime(started)}</dd>
            {httpStatus !== null && (
              <>
                <dt>{texts.answer}</dt>
                <dd>{`HTTP ${httpStatus}`}</dd>
              </>
            )}
            {durationMs !== null && (
              <>
                <dt>{texts.duration}</dt>
                <dd>{`${format.number(durationMs)} ms`}</dd>
              </>
            )}
            {error !== null && (
              <>
                <dt>{texts.error}</dt>
                <dd>
                  <DeliveryProblem error={error} reason={reason} />
                </dd>
              </>
            )}
          </dl>
          {httpStatus !== null &&
            (responseBody === null || responseBody === '' ? (
              <p className="hint">{texts.noBody}</p>
            ) : (
              <>
                <p className="hint">{texts.body}</p>
                <pre>{responseBody}</pre>
              </>
            ))}
        </li>
      ))}
    </ol>
  )
}

const TEST_EVENT_TEXTS = phrases({
  en: {
    title: 'Test event',
    link: 'Open the delivery',
  },
  de: {
    title: 'Testereignis',
    link: 'Zustellung öffnen',
  },
})

/** A test event on its way: each attempt and its answer appear as they come. */
export function TestEvent({ deliveryId }: { readonly deliveryId: number }): ReactElement {
  const texts = useTexts(TEST_EVENT_TEXTS)
  const { meanings } = useStatusTexts()
  const query = useDelivery(deliveryId)
  return (
    <section className="panel" aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <Loaded query={query}>
        {({ status, attempts }) => (
          <>
            <p role="status">
              <DeliveryStatusBadge status={status} /> {meanings[status]}
            </p>
            <Attempts attempts={attempts} />
          </>
        )}
      </Loaded>
      <Link href={`/webhooks/deliveries/${deliveryId}`}>{texts.link}</Link>
    </section>
  )
}
