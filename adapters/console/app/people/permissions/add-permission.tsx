import { useMutation } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { dataOf, useApi } from '../../api/api.js'
import { useUnsaved } from '../../frame/guarded-router.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Form } from '../../ui/form/form.js'
import { ErrorNote } from '../../ui/notes.js'
import { CompanyChoice } from '../company-choice.js'
import type { UserDetails } from '../use-users.js'
import { USER_TEXTS } from '../user-texts.js'
import { type PermissionDraft, PermissionSteps } from './permission-steps.js'

interface AddPermissionProps {
  readonly user: UserDetails
  readonly onDone: () => void
}

export function AddPermission({ user, onDone }: AddPermissionProps): ReactElement {
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
