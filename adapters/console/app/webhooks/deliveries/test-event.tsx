import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Loaded } from '../../ui/notes.js'
import { useDelivery } from '../queries.js'
import { Attempts } from './attempts.js'
import { DeliveryStatusBadge, useStatusTexts } from './delivery-status.js'

const TEXTS = phrases({
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
  const texts = useTexts(TEXTS)
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
