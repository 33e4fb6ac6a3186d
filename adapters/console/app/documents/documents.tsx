import type { ReactElement } from 'react'
import { Route, Switch } from 'wouter'
import { DocumentPage } from './detail/document-page.js'
import type { ContextName } from './document.js'
import { DocumentList } from './list/document-list.js'
import './documents.css'

/** The documents of a context: at `/gpts/{id}/documents`. */
export default function Documents({ context }: { readonly context: ContextName }): ReactElement {
  return (
    <Switch>
      <Route path="/gpts/:id/documents/:docId">
        {({ docId }) => <DocumentPage key={docId} context={context} docId={Number(docId)} />}
      </Route>
      <Route>
        <DocumentList context={context} />
      </Route>
    </Switch>
  )
}
