import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Fragment, type ReactElement, useEffect, useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { dataOf, useApi } from '../../api/api.js'
import { useInstallation } from '../../api/use-installation.js'
import { useLogin } from '../../login/use-login.js'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { Button, ButtonLink } from '../../ui/buttons.js'
import { ConfirmDialog } from '../../ui/dialogs.js'
import { ErrorNote, Loaded, Note } from '../../ui/notes.js'
import { BackLink, PageHead } from '../../ui/page-head.js'
import { INVITE_TEXTS } from '../invite/invite-texts.js'
import { Permissions } from '../permissions/permissions.js'
import { useCompanyName } from '../use-companies.js'
import { isServiceUser, type UserDetails, useUser, useUserName } from '../use-users.js'
import { USER_TEXTS } from '../user-texts.js'

/** One user: at `/people/users/3`. */
export function UserPage({ id }: { readonly id: number }): ReactElement {
  const texts = useTexts(USER_TEXTS)
  return (
    <>
      <BackLink href="/people">{texts.back}</BackLink>
      <Loaded query={useUser(id)}>{(user) => <Content key={id} user={user} />}</Loaded>
    </>
  )
}

function Content({ user }: { readonly user: UserDetails }): ReactElement {
  const texts = useTexts(USER_TEXTS)
  const name = useUserName()(user)
  const [search, setSearch] = useSearchParams()
  const [invitedAt, setInvitedAt] = useState<number>()
  // The address brings the note once: a reload shows the page without it.
  const [added] = useState(() => search.get('added'))
  useEffect(() => {
    if (added !== null) setSearch({}, { replace: true })
  }, [added, setSearch])
  return (
    <>
      <PageHead title={name} />
      <div role="status">
        {invitedAt !== undefined ? (
          <InvitedNote key={invitedAt} kind="again" email={user.email} />
        ) : (
          (added === 'invited' || added === 'silently') &&
          !user.hasPassword && <InvitedNote kind={added} email={user.email} />
        )}
      </div>
      {user.disabled && <Note kind="warning">{texts.isDisabled}</Note>}
      {isServiceUser(user) && <Note>{texts.isService}</Note>}
      <section className="panel">
        <h2>{texts.facts}</h2>
        <UserFacts user={user} />
        <InviteAgain user={user} onInvited={() => setInvitedAt(Date.now())} />
      </section>
      <Permissions user={user} />
      <section className="panel">
        <h2>{texts.delete}</h2>
        <p>{texts.deleteHint}</p>
        <DeleteUser user={user} name={name} />
      </section>
    </>
  )
}

/** For users who have no password yet. */
function InviteAgain({
  user,
  onInvited,
}: {
  readonly user: UserDetails
  readonly onInvited: () => void
}): ReactElement | null {
  const texts = useTexts(USER_TEXTS)
  const api = useApi()
  const invite = useMutation({
    mutationFn: async () => await dataOf(api.POST('/tenant/user/init', { body: { id: user.id } })),
    onSuccess: onInvited,
  })
  if (user.hasPassword || user.email === '' || user.disabled || isServiceUser(user)) return null
  return (
    <>
      <div className="actions people-after">
        <Button isPending={invite.isPending} onPress={() => invite.mutate()}>
          {texts.inviteAgain}
        </Button>
      </div>
      <ErrorNote error={invite.error} />
    </>
  )
}

function DeleteUser({ user, name }: { readonly user: UserDetails; readonly name: string }): ReactElement {
  const texts = useTexts(USER_TEXTS)
  const { login } = useLogin()
  const api = useApi()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [isAsking, setAsking] = useState(false)
  const remove = async (): Promise<void> => {
    await dataOf(api.DELETE('/tenant/user/{id}', { params: { path: { id: user.id } } }))
    navigate(isServiceUser(user) ? '/people' : `/people/users/${user.id}/hand-over?company=${user.customerId}`)
    queries.removeQueries({ queryKey: ['people', 'user', user.id] })
    void queries.invalidateQueries({ queryKey: ['people'] })
  }
  return (
    <>
      <Button kind="danger" onPress={() => setAsking(true)}>
        {texts.delete}
      </Button>
      <ConfirmDialog
        title={texts.deleteTitle(name)}
        action={texts.deleteAction}
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={remove}
      >
        {user.id === login.user.id && (
          <p>
            <strong>{texts.deleteOwn}</strong>
          </p>
        )}
        <p>{texts.deleteLost}</p>
        {!isServiceUser(user) && <p>{texts.deleteKept}</p>}
      </ConfirmDialog>
    </>
  )
}

function UserFacts({ user }: { readonly user: UserDetails }): ReactElement {
  const texts = useTexts(USER_TEXTS)
  const format = useFormat()
  const companyName = useCompanyName()
  const isPerson = !isServiceUser(user)
  const facts: readonly (readonly [string, string])[] = [
    [texts.firstName, user.firstName || '–'],
    [texts.lastName, user.lastName || '–'],
    [texts.email, user.email || texts.none],
    [texts.company, companyName(user.customerId)],
    ...(user.externalId === null ? [] : ([[texts.externalId, user.externalId]] as const)),
    [texts.created, format.time(user.createdAt)],
    [texts.lastAccess, user.lastAccess === null ? texts.never : format.time(user.lastAccess)],
    ...(isPerson
      ? ([
          [texts.password, user.hasPassword ? texts.hasPassword : texts.noPassword],
          [texts.otp, user.otpMethod === 'none' ? texts.noOtp : texts.hasOtp],
        ] as const)
      : []),
  ]
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  )
}

const SETTING = 'alcove serve --smtp-url smtp://USER:PASSWORD@HOST:587 --mail-from ADDRESS'

interface InvitedNoteProps {
  /** The change: a new user with or without an invitation, or another invitation. */
  readonly kind: 'invited' | 'silently' | 'again'
  readonly email: string
}

/** The outcome of an invitation, how the person gets the link, and what comes next. */
function InvitedNote({ kind, email }: InvitedNoteProps): ReactElement {
  const texts = useTexts(INVITE_TEXTS)
  const { data: installation, isPending } = useInstallation(false)
  // Only managers of the topmost company learn whether the server sends mails.
  const isKept = kind !== 'silently' && installation?.mails === 'kept'
  return (
    <Note kind={isKept ? 'warning' : 'success'}>
      <p>{kind === 'again' ? texts.again : texts.added}</p>
      {kind === 'silently' ? (
        <p>{texts.noMail}</p>
      ) : isKept ? (
        <>
          <p>
            <strong>{texts.kept}</strong> {texts.keptText(email)}
          </p>
          <p>
            {texts.keptSetting} <code>{SETTING}</code>
          </p>
        </>
      ) : (
        !isPending && <p>{installation?.mails === 'sent' ? texts.sent(email) : texts.unsure(email)}</p>
      )}
      {kind !== 'again' && (
        <>
          <p>{texts.next}</p>
          <div className="actions">
            <ButtonLink href="/people/invite">{texts.another}</ButtonLink>
            <ButtonLink href="/people">{texts.all}</ButtonLink>
          </div>
        </>
      )}
    </Note>
  )
}
