import type { ReactElement } from 'react'
import type { Schema } from '../../api/api.js'
import { useReason } from '../../api/reason-texts.js'

interface DeliveryProblemProps extends Pick<Schema<'Delivery'>, 'reason'> {
  readonly error: string
}

/** Why an attempt or a delivery has failed, in the language of the user. */
export function DeliveryProblem({ error, reason }: DeliveryProblemProps): ReactElement {
  const { text, lang } = useReason()(reason, error)
  return <span lang={lang}>{text}</span>
}
