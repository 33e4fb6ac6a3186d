import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { useFormat } from '../texts/format.js'
import { useTexts } from '../texts/language.js'
import { Button } from '../ui/buttons.js'
import { Badge } from '../ui/notes.js'
import { TableScroll } from '../ui/table-scroll.js'
import { KEY_TEXTS } from './key-texts.js'
import { TEXTS } from './people-texts.js'
import { useCompanyName } from './use-companies.js'
import type { ApiKey } from './use-keys.js'
import { type UserDetails, useUserName, useUsersById } from './use-users.js'

interface KeyTableProps {
  readonly keys: readonly ApiKey[]
  readonly onRevoke: (key: ApiKey) => void
}

export function KeyTable({ keys, onRevoke }: KeyTableProps): ReactElement {
  const texts = useTexts(KEY_TEXTS)
  const { keys: title } = useTexts(TEXTS)
  const users = useUsersById(keys.map(({ userId }) => userId))
  const heads = [texts.id, texts.company, texts.user, texts.targets, texts.sight, texts.state]
  return (
    <TableScroll label={title}>
      <table className="people-table">
        <thead>
          <tr>
            {[...heads, texts.lastUsed, texts.created, texts.expires].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <KeyRow key={key.id} apiKey={key} user={users.get(key.userId)} onRevoke={onRevoke} />
          ))}
        </tbody>
      </table>
    </TableScroll>
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
  return (
    <tr>
      <td className="people-id">{clientId}</td>
      <td>{companyName(companyId)}</td>
      <td>
        <KeyUser id={userId} user={user} />
      </td>
      <td>{targets.map((target) => texts.targetNames[target] ?? target).join(', ')}</td>
      <td>{sight === 'account' ? texts.seesAccount : texts.seesUser}</td>
      <td>
        <KeyState apiKey={apiKey} />
        {revoked === null ? (
          <Button kind="quiet" aria-label={texts.revokeOf(clientId)} onPress={() => onRevoke(apiKey)}>
            {texts.revoke}
          </Button>
        ) : (
          <div className="soft">{format.time(revoked)}</div>
        )}
      </td>
      <td>{lastUsed === null ? texts.never : format.time(lastUsed)}</td>
      <td>{format.time(created)}</td>
      <td>{expires === null ? texts.never : format.time(expires)}</td>
    </tr>
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
