import type { ReactElement } from 'react'
import { PageHead } from '../ui/page-head.js'

export default function People(): ReactElement {
  return <PageHead title="People" />
}
