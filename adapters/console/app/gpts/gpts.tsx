import type { ReactElement } from 'react'

export default function Gpts(): ReactElement {
  return <h1>Gpts</h1>
}
