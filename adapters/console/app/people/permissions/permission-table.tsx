import type { ReactElement } from 'react'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Named } from '../../ui/named.js'
import { Badge } from '../../ui/notes.js'
import { Row, Table } from '../../ui/table.js'
import { useApplicationName, useRoleNames } from '../names.js'
import { useCompanyName } from '../use-companies.js'
import type { ListedPermission } from '../use-users.js'
import { USER_TEXTS } from '../user-texts.js'

export type PermissionAction = 'role' | 'suspend' | 'resume' | 'revoke'

interface PermissionTableProps {
  readonly permissions: readonly ListedPermission[]
  readonly onAction: (action: PermissionAction, permission: ListedPermission) => void
}

export function PermissionTable({ permissions, onAction }: PermissionTableProps): ReactElement {
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
