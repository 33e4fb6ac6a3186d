import { type ReactElement, useState } from 'react'
import { Route, Switch } from 'wouter'
import { useTexts } from '../texts/phrases.js'
import { EmptyState } from '../ui/notes.js'
import { InvitePage } from './invite/invite-page.js'
import { KeysPage } from './keys/keys-page.js'
import { NewKeyPage } from './keys/new-key-page.js'
import { PeopleHead } from './people-head.js'
import { TEXTS } from './people-texts.js'
import { RolesPage } from './roles/roles-page.js'
import { HandOverPage } from './users/hand-over-page.js'
import { UserPage } from './users/user-page.js'
import { UsersPage } from './users/users-page.js'
import './people.css'

/** Users with their permissions, roles and API keys: at `/people`. */
export default function People(): ReactElement {
  const texts = useTexts(TEXTS)
  // Kept here, so that the list of users is as it was after a look at one of them.
  const [openIds, setOpenIds] = useState<ReadonlySet<number>>()
  return (
    <Switch>
      <Route path="/people">
        <UsersPage openIds={openIds} onOpen={setOpenIds} />
      </Route>
      <Route path="/people/invite" component={InvitePage} />
      <Route path="/people/users/:id">{({ id }) => <UserPage key={id} id={Number(id)} />}</Route>
      <Route path="/people/users/:id/hand-over">{({ id }) => <HandOverPage id={Number(id)} />}</Route>
      <Route path="/people/roles" component={RolesPage} />
      <Route path="/people/keys" component={KeysPage} />
      <Route path="/people/keys/new" component={NewKeyPage} />
      <Route>
        <PeopleHead />
        <EmptyState title={texts.unknown}>{texts.unknownText}</EmptyState>
      </Route>
    </Switch>
  )
}
