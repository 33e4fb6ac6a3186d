import { useMutation } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { dataOf, useApi } from '../../api/api.js'
import { useUnsaved } from '../../frame/guarded-router.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Select } from '../../ui/form/fields.js'
import { Form } from '../../ui/form/form.js'
import { ErrorNote, Loaded, Note } from '../../ui/notes.js'
import { useRoleChoices } from '../names.js'
import { useOptions } from '../use-options.js'
import type { ListedPermission } from '../use-users.js'
import { USER_TEXTS } from '../user-texts.js'

interface ChangeRoleProps {
  readonly permission: ListedPermission
  readonly onDone: () => void
}

export function ChangeRole({ permission, onDone }: ChangeRoleProps): ReactElement {
  const { id, account, application, region, role } = permission
  const texts = useTexts(USER_TEXTS)
  const api = useApi()
  const roleChoices = useRoleChoices()
  const [chosen, setChosen] = useState(role.id)
  const release = useUnsaved(chosen !== role.id)
  const options = useOptions({
    companyId: account.customerId,
    type: application.id,
    region: region.id,
    account: account.id,
    all: true,
  })
  const change = useMutation({
    mutationFn: async () => await dataOf(api.PUT('/permission', { body: { id, appRoleId: chosen } })),
    onSuccess: () => {
      release()
      onDone()
    },
  })
  return (
    <Loaded query={options}>
      {({ roles }) =>
        roles.length === 0 ? (
          <Note kind="warning">{texts.noChoice}</Note>
        ) : (
          <Form onSubmit={() => change.mutate()}>
            <Select
              label={texts.newRole}
              choices={roleChoices(roles)}
              value={String(chosen)}
              onChange={(value) => setChosen(Number(value))}
            />
            <ErrorNote error={change.error} />
            <Button type="submit" kind="primary" isPending={change.isPending} isDisabled={chosen === role.id}>
              {texts.saveRole}
            </Button>
          </Form>
        )
      }
    </Loaded>
  )
}
