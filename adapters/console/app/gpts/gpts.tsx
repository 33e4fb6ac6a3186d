import type { ReactElement } from 'react'
import { PageHead } from '../ui/page-head.js'

export default function Gpts(): ReactElement {
  return <PageHead title="Gpts" />
}
