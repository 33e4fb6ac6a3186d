import type { ReactElement } from 'react'
import { PageHead } from '../ui/page-head.js'

export default function Webhooks(): ReactElement {
  return <PageHead title="Webhooks" />
}
