import type { ReactElement } from 'react'

export default function Search(): ReactElement {
  return <h1>Search</h1>
}
