import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useRef, useState } from 'react'
import { Link } from 'wouter'
import { dataOf, useApi } from '../../api/api.js'
import { useLogin } from '../../login/use-login.js'
import { useFormat } from '../../texts/format.js'
import { phraseOf, useTexts } from '../../texts/phrases.js'
import { Button, ButtonLink } from '../../ui/buttons.js'
import { ConfirmDialog } from '../../ui/dialogs.js'
import { Badge, EmptyState, Loaded } from '../../ui/notes.js'
import { Row, Table } from '../../ui/table.js'
import { toast } from '../../ui/toasts.js'
import { useRolesText } from '../names.js'
import { PeopleHead } from '../people-head.js'
import { TEXTS } from '../people-texts.js'
import { useCompanyName } from '../use-companies.js'
import { type UserDetails, useUserName, useUsersById } from '../use-users.js'
import { KEY_TEXTS } from './key-texts.js'
import { type ApiKey, useKeys } from './use-keys.js'

/** The API keys of the companies in reach: at `/people/keys`. */
export function KeysPage(): ReactElement {
  const texts = useTexts(KEY_TEXTS)
  const { loadMore } = useTexts(TEXTS)
  const keys = useKeys()
  const [asked, setAsked] = useState<ApiKey>()
  const content = useRef<HTMLDivElement>(null)
  const create = (
    <ButtonLink href="/people/keys/new" kind="primary">
      {texts.create}
    </ButtonLink>
  )
  return (
    <>
      <PeopleHead actions={create} />
      <p>{texts.intro}</p>
      <div ref={content} tabIndex={-1} className="people-focus">
        <Loaded query={keys}>
          {(all) =>
            all.length === 0 ? (
              <EmptyState title={texts.none}>{texts.noneText}</EmptyState>
            ) : (
              <>
                <p className="hint">{texts.noNames}</p>
                <KeyTable keys={all} onRevoke={setAsked} />
              </>
            )
          }
        </Loaded>
      </div>
      {keys.hasNextPage && (
        <div className="actions">
          <Button isPending={keys.isFetching} onPress={() => void keys.fetchNextPage()}>
            {loadMore}
          </Button>
        </div>
      )}
      <RevokeKey
        apiKey={asked}
        onClose={() => setAsked(undefined)}
        onRevoked={() => setTimeout(() => content.current?.focus(), DIALOG_CLOSES_MS)}
      />
    </>
  )
}

const DIALOG_CLOSES_MS = 100

interface RevokeKeyProps {
  readonly apiKey: ApiKey | undefined
  readonly onClose: () => void
  readonly onRevoked: () => void
}

function RevokeKey({ apiKey, onClose, onRevoked }: RevokeKeyProps): ReactElement {
  const texts = useTexts(KEY_TEXTS)
  const api = useApi()
  const queries = useQueryClient()
  const { login } = useLogin()
  const revoke = async (): Promise<void> => {
    if (apiKey === undefined) return
    await dataOf(api.DELETE('/tenant/keys/{id}', { params: { path: { id: apiKey.id } } }))
    await queries.invalidateQueries({ queryKey: ['people', 'keys'] })
    toast({ text: texts.revokeDone })
    // The button that opened the dialog is gone.
    onRevoked()
  }
  return (
    <ConfirmDialog
      title={texts.revokeTitle}
      action={texts.revoke}
      isDanger
      isOpen={apiKey !== undefined}
      onClose={onClose}
      onConfirm={revoke}
    >
      <p>{texts.revokeText(apiKey?.clientId ?? '')}</p>
      {apiKey?.clientId === login.clientId && <p>{texts.revokeSelf}</p>}
    </ConfirmDialog>
  )
}

interface KeyTableProps {
  readonly keys: readonly ApiKey[]
  readonly onRevoke: (key: ApiKey) => void
}

function KeyTable({ keys, onRevoke }: KeyTableProps): ReactElement {
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
        targets.map((target) => phraseOf(texts.targetNames, target) ?? target).join(', '),
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
