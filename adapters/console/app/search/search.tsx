import type { ReactElement } from 'react'
import { PageHead } from '../ui/page-head.js'

export default function Search(): ReactElement {
  return <PageHead title="Search" />
}
