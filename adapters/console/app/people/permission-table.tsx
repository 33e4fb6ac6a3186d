import type { ReactElement } from 'react'
import { useFormat } from '../texts/format.js'
import { useTexts } from '../texts/language.js'
import { Button } from '../ui/buttons.js'
import { Badge } from '../ui/notes.js'
import { TableScroll } from '../ui/table-scroll.js'
import { useCompanyName } from './use-companies.js'
import type { ListedPermission } from './use-users.js'
import { USER_TEXTS } from './user-texts.js'

export type PermissionAction = 'role' | 'suspend' | 'resume' | 'revoke'

interface PermissionTableProps {
  readonly permissions: readonly ListedPermission[]
  readonly onAction: (action: PermissionAction, permission: ListedPermission) => void
}

export function PermissionTable({ permissions, onAction }: PermissionTableProps): ReactElement {
  const texts = useTexts(USER_TEXTS)
  const format = useFormat()
  const companyName = useCompanyName()
  const names = { role: texts.changeRole, suspend: texts.suspend, resume: texts.resume, revoke: texts.revoke }
  return (
    <TableScroll label={texts.permissions}>
      <table className="people-table">
        <thead>
          <tr>
            <th scope="col">{texts.company}</th>
            <th scope="col">{texts.application}</th>
            <th scope="col">{texts.region}</th>
            <th scope="col">{texts.account}</th>
            <th scope="col">{texts.role}</th>
            <th scope="col">{texts.state}</th>
            <th scope="col">{texts.lastUse}</th>
            <th scope="col">{texts.actions}</th>
          </tr>
        </thead>
        <tbody>
          {permissions.map((permission) => {
            const { account, application, region, role, disabled, instanceActive, lastAccess } = permission
            const actions: readonly PermissionAction[] = ['role', disabled ? 'resume' : 'suspend', 'revoke']
            return (
              <tr key={permission.id}>
                <td>{companyName(account.customerId)}</td>
                <td>{application.name}</td>
                <td>{region.name}</td>
                <td>{account.name}</td>
                <td>{role.name}</td>
                <td>
                  {disabled ? <Badge kind="busy">{texts.suspended}</Badge> : <Badge kind="good">{texts.active}</Badge>}
                  {!instanceActive && <Badge kind="bad">{texts.accountOff}</Badge>}
                </td>
                <td>{lastAccess === null ? texts.never : format.time(lastAccess)}</td>
                <td className="people-actions">
                  <div className="people-row-actions">
                    {actions.map((action) => (
                      <Button
                        // One button suspends and resumes, so that it keeps the focus.
                        key={action === 'resume' ? 'suspend' : action}
                        kind="quiet"
                        aria-label={texts.of(names[action], role.name, `${account.name} (${application.name})`)}
                        onPress={() => onAction(action, permission)}
                      >
                        {names[action]}
                      </Button>
                    ))}
                  </div>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </TableScroll>
  )
}
