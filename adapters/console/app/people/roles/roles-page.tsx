import type { ReactElement } from 'react'
import { useTexts } from '../../texts/phrases.js'
import { Named } from '../../ui/named.js'
import { Badge, Loaded } from '../../ui/notes.js'
import { Row, Table } from '../../ui/table.js'
import { useApplicationName, useCapabilityText, useRoleNames } from '../names.js'
import { PeopleHead } from '../people-head.js'
import { ROLE_TEXTS } from '../people-texts.js'
import { useCompanyName } from '../use-companies.js'
import { type Role, useRoles } from './use-roles.js'

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
          <Table
            label={texts.role}
            columns={[
              { name: texts.role },
              { name: texts.scope },
              { name: texts.applications },
              { name: texts.may },
              { name: texts.state },
            ]}
          >
            {all.map((role) => (
              <RoleRow key={role.id} role={role} />
            ))}
          </Table>
        )}
      </Loaded>
    </>
  )
}

function RoleRow({ role }: { readonly role: Role }): ReactElement {
  const texts = useTexts(ROLE_TEXTS)
  const textOf = useCapabilityText()
  const companyName = useCompanyName()
  const { nameOf, aboutOf } = useRoleNames()
  const applicationName = useApplicationName()
  return (
    <Row
      cells={[
        <>
          <Named name={nameOf(role)} technical={role.name} />
          <div className="hint">{aboutOf(role)}</div>
        </>,
        role.customerId === null ? texts.systemWide : companyName(role.customerId),
        <ul className="people-plain">
          {role.applications.map((application) => (
            <li key={application}>
              <Named name={applicationName(application)} technical={application} />
            </li>
          ))}
        </ul>,
        <ul className="people-plain">
          {role.capabilities.map((capability) => (
            <li key={capability}>
              <Named name={textOf(capability)} technical={capability} />
            </li>
          ))}
        </ul>,
        role.disabled ? (
          <Badge kind="bad">{texts.disabled}</Badge>
        ) : role.grantable ? (
          <Badge kind="good">{texts.usable}</Badge>
        ) : (
          <Badge>{texts.notYours}</Badge>
        ),
      ]}
    />
  )
}
