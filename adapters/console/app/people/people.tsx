import type { ReactElement } from 'react'

export default function People(): ReactElement {
  return <h1>People</h1>
}
