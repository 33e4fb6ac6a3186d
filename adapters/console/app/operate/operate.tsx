import type { ReactElement } from 'react'

export default function Operate(): ReactElement {
  return <h1>Operate</h1>
}
