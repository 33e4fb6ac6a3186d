import type { ReactElement } from 'react'
import { PageHead } from '../ui/page-head.js'

export default function Operate(): ReactElement {
  return <PageHead title="Operate" />
}
