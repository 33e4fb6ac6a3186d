import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useRef, useState } from 'react'
import { dataOf, useApi } from '../../api/api.js'
import { useLeave } from '../../frame/guarded-router.js'
import { useLogin } from '../../login/use-login.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { ConfirmDialog, Dialog } from '../../ui/dialogs.js'
import { ErrorNote } from '../../ui/notes.js'
import { toast } from '../../ui/toasts.js'
import { useRoleNames } from '../names.js'
import type { ListedPermission, UserDetails } from '../use-users.js'
import { USER_TEXTS } from '../user-texts.js'
import { AddPermission } from './add-permission.js'
import { ChangeRole } from './change-role.js'
import { type PermissionAction, PermissionTable } from './permission-table.js'

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
