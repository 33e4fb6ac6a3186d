import type { ReactElement } from 'react'

export default function Webhooks(): ReactElement {
  return <h1>Webhooks</h1>
}
