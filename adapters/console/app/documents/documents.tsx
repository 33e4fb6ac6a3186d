import type { ReactElement } from 'react'
import { Route, Switch } from 'wouter'
import { useLogin } from '../login/use-login.js'
import { DocumentPage } from './detail/document-page.js'
import type { ContextName } from './document.js'
import { DocumentList } from './list/document-list.js'
import { MayWrite } from './may-write.js'
import './documents.css'

/** The documents of a context: at `/gpts/{id}/documents`. */
export default function Documents({
  context,
  mayChange,
}: {
  readonly context: ContextName
  /** True if the user may change the context itself: those who may only look at it change no document. */
  readonly mayChange: boolean
}): ReactElement {
  const { can } = useLogin()
  return (
    <MayWrite value={mayChange && can('document:write')}>
      <Switch>
        <Route path="/gpts/:id/documents/:docId">
          {({ docId }) => <DocumentPage key={docId} context={context} docId={Number(docId)} />}
        </Route>
        <Route>
          <DocumentList context={context} />
        </Route>
      </Switch>
    </MayWrite>
  )
}
