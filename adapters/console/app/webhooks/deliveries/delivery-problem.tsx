import type { ReactElement } from 'react'
import { useServerSentence } from '../../api/server-sentences.js'
import { WEBHOOK_SENTENCES } from '../webhook-sentences.js'

/** Why an attempt or a delivery has failed, in the language of the user. */
export function DeliveryProblem({ error }: { readonly error: string }): ReactElement {
  const { text, lang } = useServerSentence(WEBHOOK_SENTENCES)(error)
  return <span lang={lang}>{text}</span>
}
