import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { useLogin } from '../../login/use-login.js'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Badge } from '../../ui/notes.js'
import { Row, Table } from '../../ui/table.js'
import { useRolesText } from '../names.js'
import { TEXTS } from '../people-texts.js'
import { useCompanyName } from '../use-companies.js'
import { type UserDetails, useUserName, useUsersById } from '../use-users.js'
import { KEY_TEXTS } from './key-texts.js'
import type { ApiKey } from './use-keys.js'

interface KeyTableProps {
  readonly keys: readonly ApiKey[]
  readonly onRevoke: (key: ApiKey) => void
}

export function KeyTable({ keys, onRevoke }: KeyTableProps): ReactElement {
  const texts = useTexts(KEY_TEXTS)
  const { keys: title } = useTexts(TEXTS)
  const users = useUsersById(keys.map(({ userId }) => userId))
  const { id, created, user, targets, sight, state, lastUsed, expires, company } = texts
  const names = [id, created, user, targets, sight, state, lastUsed, expires, company]
  return (
    <Table label={title} columns={names.map((name) => ({ name }))}>
      {keys.map((key) => (
        <KeyRow key={key.id} apiKey={key} user={users.get(key.userId)} onRevoke={onRevoke} />
      ))}
    </Table>
  )
}

interface KeyRowProps extends Pick<KeyTableProps, 'onRevoke'> {
  readonly apiKey: ApiKey
  readonly user: KeyUserProps['user']
}

function KeyRow({ apiKey, user, onRevoke }: KeyRowProps): ReactElement {
  const { clientId, companyId, userId, targets, sight, created, expires, lastUsed, revoked } = apiKey
  const texts = useTexts(KEY_TEXTS)
  const format = useFormat()
  const companyName = useCompanyName()
  const { login } = useLogin()
  const rolesText = useRolesText()
  return (
    <Row
      cells={[
        <>
          <span className="people-id">{clientId}</span>{' '}
          {clientId === login.clientId && <Badge>{texts.thisLogin}</Badge>}
        </>,
        format.time(created),
        <>
          <KeyUser id={userId} user={user} />
          {user != null && <div className="soft">{rolesText(user)}</div>}
        </>,
        targets.map((target) => texts.targetNames[target] ?? target).join(', '),
        sight === 'account' ? texts.seesAccount : texts.seesUser,
        <>
          <KeyState apiKey={apiKey} />
          {revoked === null ? (
            <Button kind="quiet" aria-label={texts.revokeOf(clientId)} onPress={() => onRevoke(apiKey)}>
              {texts.revoke}
            </Button>
          ) : (
            <div className="soft">{format.time(revoked)}</div>
          )}
        </>,
        lastUsed === null ? texts.never : format.time(lastUsed),
        expires === null ? texts.never : format.time(expires),
        companyName(companyId),
      ]}
    />
  )
}

function KeyState({ apiKey: { revoked, expires } }: { readonly apiKey: ApiKey }): ReactElement {
  const texts = useTexts(KEY_TEXTS)
  if (revoked !== null) return <Badge kind="bad">{texts.revoked}</Badge>
  if (expires !== null && new Date(expires).getTime() <= Date.now()) return <Badge>{texts.expired}</Badge>
  return <Badge kind="good">{texts.usable}</Badge>
}

interface KeyUserProps {
  readonly id: number
  /** Undefined while it loads; null for one whom the user may not see. */
  readonly user: UserDetails | null | undefined
}

/** The API names only the id of the user. */
function KeyUser({ id, user }: KeyUserProps): ReactElement {
  const texts = useTexts(KEY_TEXTS)
  const { noName } = useTexts(TEXTS)
  const nameOf = useUserName()
  if (user != null) return <Link href={`/people/users/${id}`}>{nameOf(user)}</Link>
  return <>{user === undefined ? noName(id) : texts.foreignUser(id)}</>
}
