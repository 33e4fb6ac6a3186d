import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { useLogin } from '../../login/use-login.js'
import { useTexts } from '../../texts/phrases.js'
import { Badge } from '../../ui/notes.js'
import { useRolesText } from '../names.js'
import { TEXTS } from '../people-texts.js'
import { isServiceUser, type User, useUserName } from '../use-users.js'

/** A user in a list, with a link to the page of the user. */
export function UserLine({ user }: { readonly user: User }): ReactElement {
  const texts = useTexts(TEXTS)
  const nameOf = useUserName()
  const rolesText = useRolesText()
  const { login } = useLogin()
  const isService = isServiceUser(user)
  const address = isService ? user.name : user.email
  return (
    <li className="people-line">
      <Link href={`/people/users/${user.id}`}>{nameOf(user)}</Link>
      {address !== nameOf(user) && <span className="soft">{address}</span>}
      <span className="soft">{rolesText(user)}</span>
      {user.id === login.user.id && <Badge>{texts.you}</Badge>}
      {!user.hasPassword && !isService && <Badge kind="busy">{texts.noPassword}</Badge>}
    </li>
  )
}
