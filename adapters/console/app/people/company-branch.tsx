import { type ReactElement, useState } from 'react'
import { Disclosure, DisclosurePanel, Button as TriggerButton } from 'react-aria-components'
import { Link } from 'wouter'
import { useLogin } from '../login/use-login.js'
import { useTexts } from '../texts/phrases.js'
import { Button } from '../ui/buttons.js'
import { Badge, ErrorNote } from '../ui/notes.js'
import { useRolesText } from './names.js'
import { TEXTS } from './people-texts.js'
import type { Companies, Company } from './use-companies.js'
import { isServiceUser, matches, type User, useUserName, useUsers } from './use-users.js'

interface CompanyBranchProps {
  readonly company: Company
  /** Without them, the branch has no companies below it. */
  readonly companies?: Companies
  readonly open: ReadonlySet<number>
  readonly onToggle: (id: number, isOpen: boolean) => void
  /** Only users with this text. Default: all. */
  readonly text?: string
}

const COMPANIES_AT_ONCE = 50

/** A company in the tree. It loads its users when it opens. */
export function CompanyBranch(props: CompanyBranchProps): ReactElement {
  const { company, open, onToggle } = props
  const texts = useTexts(TEXTS)
  const isOpen = open.has(company.id)
  return (
    <li>
      <Disclosure isExpanded={isOpen} onExpandedChange={(expanded) => onToggle(company.id, expanded)}>
        <TriggerButton slot="trigger" className="people-trigger">
          <span aria-hidden="true" className="people-arrow" />
          {company.name}
          {company.disabled && <Badge kind="bad">{texts.disabledCompany}</Badge>}
        </TriggerButton>
        <DisclosurePanel>{isOpen && <Opened {...props} />}</DisclosurePanel>
      </Disclosure>
    </li>
  )
}

function Opened({ company, companies, open, onToggle, text = '' }: CompanyBranchProps): ReactElement {
  const texts = useTexts(TEXTS)
  const { data, error, refetch, hasNextPage, isFetching, fetchNextPage } = useUsers(company.id)
  const [shownCompanies, setShownCompanies] = useState(COMPANIES_AT_ONCE)
  const users = (data ?? []).filter((user) => matches(user, text))
  const people = users.filter((user) => !isServiceUser(user))
  const services = users.filter(isServiceUser)
  const below = companies?.below(company.id) ?? []
  const hidden = below.length - shownCompanies
  return (
    <div className="people-inner">
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {people.length > 0 && (
        <ul className="people-users" aria-label={texts.usersOf(company.name)}>
          {people.map((user) => (
            <UserLine key={user.id} user={user} />
          ))}
        </ul>
      )}
      {data !== undefined && people.length === 0 && !hasNextPage && text === '' && (
        <p className="soft">{texts.noUsers}</p>
      )}
      {data === undefined && isFetching && <p className="soft">{texts.loading}</p>}
      {hasNextPage && (
        <Button isPending={isFetching} onPress={() => void fetchNextPage()}>
          {texts.loadMore}
        </Button>
      )}
      {services.length > 0 && (
        <Disclosure>
          <TriggerButton slot="trigger" className="people-trigger people-services">
            <span aria-hidden="true" className="people-arrow" />
            {texts.serviceUsers(services.length)}
          </TriggerButton>
          <DisclosurePanel>
            <p className="hint">{texts.serviceHint}</p>
            <ul className="people-users" aria-label={texts.serviceUsers(services.length)}>
              {services.map((user) => (
                <UserLine key={user.id} user={user} />
              ))}
            </ul>
          </DisclosurePanel>
        </Disclosure>
      )}
      {companies !== undefined && below.length > 0 && (
        <ul className="people-tree" aria-label={texts.below(company.name)}>
          {below.slice(0, shownCompanies).map((child) => (
            <CompanyBranch key={child.id} company={child} companies={companies} open={open} onToggle={onToggle} />
          ))}
        </ul>
      )}
      {hidden > 0 && (
        <Button onPress={() => setShownCompanies((count) => count + COMPANIES_AT_ONCE)}>
          {texts.moreCompanies(Math.min(hidden, COMPANIES_AT_ONCE))}
        </Button>
      )}
    </div>
  )
}

/** A user in a list, with a link to the page of the user. */
export function UserLine({ user }: { readonly user: User }): ReactElement {
  const texts = useTexts(TEXTS)
  const nameOf = useUserName()
  const rolesText = useRolesText()
  const { login } = useLogin()
  const isService = isServiceUser(user)
  const address = isService ? user.name : user.email
  return (
    <li className="people-line">
      <Link href={`/people/users/${user.id}`}>{nameOf(user)}</Link>
      {address !== nameOf(user) && <span className="soft">{address}</span>}
      <span className="soft">{rolesText(user)}</span>
      {user.id === login.user.id && <Badge>{texts.you}</Badge>}
      {!user.hasPassword && !isService && <Badge kind="busy">{texts.noPassword}</Badge>}
    </li>
  )
}
