import type { ReactElement } from 'react'
import type { Schema } from '../api/api.js'

/** The documents of a context: at `/gpts/{id}/documents`. */
export default function Documents({ context }: { readonly context: Schema<'Context'> }): ReactElement {
  return <h2>{context.name}</h2>
}
