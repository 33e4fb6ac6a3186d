import type { ReactElement } from 'react'
import { useTexts } from '../texts/language.js'
import { Badge, Loaded } from '../ui/notes.js'
import { TableScroll } from '../ui/table-scroll.js'
import { PeopleHead } from './people-head.js'
import { type Role, useCapabilityText, useRoles } from './role-choices.js'
import { ROLE_TEXTS } from './role-texts.js'
import { useCompanyName } from './use-companies.js'

const COMMAND = 'alcove role create --applications assistant --capabilities context:read,search "Name"'

/** The roles with all that they allow: at `/people/roles`. */
export function RolesPage(): ReactElement {
  const texts = useTexts(ROLE_TEXTS)
  const roles = useRoles()
  return (
    <>
      <PeopleHead />
      <p>{texts.intro}</p>
      <pre className="people-command">{COMMAND}</pre>
      <Loaded query={roles}>
        {(all) => (
          <TableScroll label={texts.role}>
            <table className="people-table">
              <thead>
                <tr>
                  <th scope="col">{texts.role}</th>
                  <th scope="col">{texts.scope}</th>
                  <th scope="col">{texts.applications}</th>
                  <th scope="col">{texts.may}</th>
                  <th scope="col">{texts.state}</th>
                </tr>
              </thead>
              <tbody>
                {all.map((role) => (
                  <RoleRow key={role.id} role={role} />
                ))}
              </tbody>
            </table>
          </TableScroll>
        )}
      </Loaded>
    </>
  )
}

function RoleRow({ role }: { readonly role: Role }): ReactElement {
  const texts = useTexts(ROLE_TEXTS)
  const textOf = useCapabilityText()
  const companyName = useCompanyName()
  return (
    <tr>
      <td>{role.name}</td>
      <td>{role.customerId === null ? texts.systemWide : companyName(role.customerId)}</td>
      <td>{role.applications.join(', ')}</td>
      <td>
        <ul className="people-plain">
          {role.capabilities.map((capability) => (
            <li key={capability}>{textOf(capability)}</li>
          ))}
        </ul>
      </td>
      <td>
        {role.disabled ? (
          <Badge kind="bad">{texts.disabled}</Badge>
        ) : role.grantable ? (
          <Badge kind="good">{texts.usable}</Badge>
        ) : (
          <Badge>{texts.notYours}</Badge>
        )}
      </td>
    </tr>
  )
}
