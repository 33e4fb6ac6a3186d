import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useRef, useState } from 'react'
import { dataOf, useApi } from '../../api/api.js'
import { useLeave, useUnsaved } from '../../frame/guarded-router.js'
import { useLogin } from '../../login/use-login.js'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { ConfirmDialog, Dialog } from '../../ui/dialogs.js'
import { Form } from '../../ui/form/form.js'
import { Named } from '../../ui/named.js'
import { Badge, ErrorNote } from '../../ui/notes.js'
import { Row, Table } from '../../ui/table.js'
import { toast } from '../../ui/toasts.js'
import { CompanyChoice } from '../company-choice.js'
import { useApplicationName, useRoleNames } from '../names.js'
import { useCompanyName } from '../use-companies.js'
import type { ListedPermission, UserDetails } from '../use-users.js'
import { USER_TEXTS } from '../user-texts.js'
import { ChangeRole } from './change-role.js'
import { type PermissionDraft, PermissionSteps } from './permission-steps.js'

/** An action on a permission that a dialog asks about. */
interface Asked {
  readonly action: PermissionAction
  readonly permission: ListedPermission
}

const DIALOG_CLOSES_MS = 100

/** The permissions of a user, with all that changes them. */
export function Permissions({ user }: { readonly user: UserDetails }): ReactElement {
  const texts = useTexts(USER_TEXTS)
  const heading = useRef<HTMLHeadingElement>(null)
  const { login } = useLogin()
  const { nameOf } = useRoleNames()
  const leave = useLeave()
  const [isAdding, setAdding] = useState(false)
  const [asked, setAsked] = useState<Asked>()
  const { setSuspended, revoke, refresh } = useChanges(user.id)
  const resume = useMutation({
    mutationFn: async (permission: ListedPermission) => await setSuspended(permission, false),
    onSuccess: () => toast({ text: texts.resumeDone }),
  })
  const isOwn = user.id === login.user.id
  const role = asked === undefined ? '' : nameOf(asked.permission.role)
  const account = asked?.permission.account.name ?? ''
  const close = (): void => setAsked(undefined)
  const done = (text: string): void => {
    setAdding(false)
    close()
    toast({ text })
    void refresh()
  }
  return (
    <section>
      <h2 ref={heading} tabIndex={-1}>
        {texts.permissions}
      </h2>
      <p className="soft">{texts.permissionsHint}</p>
      <ErrorNote error={resume.error} />
      {user.permissions.length === 0 ? (
        <p>{texts.noPermissions}</p>
      ) : (
        <PermissionTable
          permissions={user.permissions}
          onAction={(action, permission) => {
            if (action === 'resume') resume.mutate(permission)
            else setAsked({ action, permission })
          }}
        />
      )}
      <div className="actions people-after">
        <Button onPress={() => setAdding(true)}>{texts.add}</Button>
      </div>
      <Dialog title={texts.add} isOpen={isAdding} onClose={() => leave(() => setAdding(false))}>
        <AddPermission user={user} onDone={() => done(texts.added)} />
      </Dialog>
      <Dialog title={texts.changeRoleOf(account)} isOpen={asked?.action === 'role'} onClose={() => leave(close)}>
        {asked !== undefined && <ChangeRole permission={asked.permission} onDone={() => done(texts.roleChanged)} />}
      </Dialog>
      <ConfirmDialog
        title={texts.suspendTitle}
        action={texts.suspend}
        isOpen={asked?.action === 'suspend'}
        onClose={close}
        onConfirm={async () => {
          if (asked === undefined) return
          await setSuspended(asked.permission, true)
          toast({ text: texts.suspendDone })
        }}
      >
        <p>{texts.suspendText(role, account)}</p>
        {isOwn && <p>{texts.suspendOwn}</p>}
      </ConfirmDialog>
      <ConfirmDialog
        title={texts.revokeTitle}
        action={texts.revoke}
        isDanger
        isOpen={asked?.action === 'revoke'}
        onClose={close}
        onConfirm={async () => {
          if (asked === undefined) return
          await revoke(asked.permission)
          toast({ text: texts.revokeDone })
          // The button that opened the dialog is gone.
          setTimeout(() => heading.current?.focus(), DIALOG_CLOSES_MS)
        }}
      >
        <p>{texts.revokeText(role, account)}</p>
        {isOwn && <p>{texts.revokeOwn}</p>}
      </ConfirmDialog>
    </section>
  )
}

function useChanges(userId: number) {
  const api = useApi()
  const queries = useQueryClient()
  const refresh = async (): Promise<void> => await queries.invalidateQueries({ queryKey: ['people'] })
  return {
    refresh,
    setSuspended: async ({ id }: ListedPermission, isSuspended: boolean): Promise<void> => {
      // The server flips the state, and somebody else may have done so meanwhile.
      const { permissions } = await dataOf(api.GET('/tenant/user/{id}', { params: { path: { id: userId } } }))
      const isOther = permissions.find((permission) => permission.id === id)?.disabled === !isSuspended
      if (isOther) await dataOf(api.PATCH('/permission/{permId}', { params: { path: { permId: id } } }))
      await refresh()
    },
    revoke: async ({ id }: ListedPermission): Promise<void> => {
      await dataOf(api.DELETE('/permission/{permId}', { params: { path: { permId: id } } }))
      await refresh()
    },
  }
}

type PermissionAction = 'role' | 'suspend' | 'resume' | 'revoke'

interface PermissionTableProps {
  readonly permissions: readonly ListedPermission[]
  readonly onAction: (action: PermissionAction, permission: ListedPermission) => void
}

function PermissionTable({ permissions, onAction }: PermissionTableProps): ReactElement {
  const texts = useTexts(USER_TEXTS)
  const format = useFormat()
  const companyName = useCompanyName()
  const { nameOf } = useRoleNames()
  const applicationName = useApplicationName()
  const names = { role: texts.changeRole, suspend: texts.suspend, resume: texts.resume, revoke: texts.revoke }
  return (
    <Table
      label={texts.permissions}
      columns={[
        { name: texts.company },
        { name: texts.application },
        { name: texts.region },
        { name: texts.account },
        { name: texts.role },
        { name: texts.state },
        { name: texts.lastUse },
        { name: texts.actions },
      ]}
    >
      {permissions.map((permission) => {
        const { account, application, region, role, disabled, instanceActive, lastAccess } = permission
        const actions: readonly PermissionAction[] = ['role', disabled ? 'resume' : 'suspend', 'revoke']
        return (
          <Row
            key={permission.id}
            cells={[
              companyName(account.customerId),
              <Named name={applicationName(application.name)} technical={application.name} />,
              region.name,
              account.name,
              <Named name={nameOf(role)} technical={role.name} />,
              <>
                {disabled ? <Badge kind="busy">{texts.suspended}</Badge> : <Badge kind="good">{texts.active}</Badge>}
                {!instanceActive && <Badge kind="bad">{texts.accountOff}</Badge>}
              </>,
              lastAccess === null ? texts.never : format.time(lastAccess),
              <div className="people-row-actions">
                {actions.map((action) => (
                  <Button
                    // One button suspends and resumes, so that it keeps the focus.
                    key={action === 'resume' ? 'suspend' : action}
                    kind="quiet"
                    aria-label={texts.of(names[action], nameOf(role), `${account.name} (${application.name})`)}
                    onPress={() => onAction(action, permission)}
                  >
                    {names[action]}
                  </Button>
                ))}
              </div>,
            ]}
          />
        )
      })}
    </Table>
  )
}

interface AddPermissionProps {
  readonly user: UserDetails
  readonly onDone: () => void
}

function AddPermission({ user, onDone }: AddPermissionProps): ReactElement {
  const texts = useTexts(USER_TEXTS)
  const api = useApi()
  const [draft, setDraft] = useState<PermissionDraft>({ companyId: user.customerId })
  const { account, role } = draft
  const release = useUnsaved(draft.type !== undefined || draft.companyId !== user.customerId)
  const add = useMutation({
    mutationFn: async (body: { userIdentityId: number; appAccountId: number; appRoleId: number }) =>
      await dataOf(api.POST('/permission', { body })),
    onSuccess: () => {
      release()
      onDone()
    },
  })
  const submit = (): void => {
    if (account === undefined || role === undefined) return
    add.mutate({ userIdentityId: user.id, appAccountId: account, appRoleId: role })
  }
  return (
    <Form onSubmit={submit}>
      <CompanyChoice value={draft.companyId} onChange={(companyId) => setDraft({ companyId })} />
      <PermissionSteps
        draft={draft}
        onChange={setDraft}
        takenAccounts={new Set(user.permissions.map((permission) => permission.account.id))}
      />
      <ErrorNote error={add.error} />
      <Button type="submit" kind="primary" isPending={add.isPending}>
        {texts.addAction}
      </Button>
    </Form>
  )
}
