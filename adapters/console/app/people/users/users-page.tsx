import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { AlcoveApiError, dataOf, useApi } from '../../api/api.js'
import { useTexts } from '../../texts/phrases.js'
import { Button, ButtonLink } from '../../ui/buttons.js'
import { TextField } from '../../ui/form/fields.js'
import { EmptyState, Loaded, Note } from '../../ui/notes.js'
import { CompanyBranch, UserLine } from '../company-branch.js'
import { PeopleHead } from '../people-head.js'
import { TEXTS } from '../people-texts.js'
import { type Companies, type Company, useCompanies } from '../use-companies.js'
import { matches, type UserDetails, useLoadedUsers } from '../use-users.js'

interface UsersPageProps {
  /** The open companies. Undefined at first: the topmost one. */
  readonly openIds: ReadonlySet<number> | undefined
  readonly onOpen: (ids: ReadonlySet<number>) => void
}

const MAX_MATCHES = 50

/** The users of all companies in reach: at `/people`. */
export function UsersPage({ openIds, onOpen }: UsersPageProps): ReactElement {
  const texts = useTexts(TEXTS)
  const companies = useCompanies()
  const [text, setText] = useState('')
  return (
    <>
      <PeopleHead
        actions={
          <ButtonLink href="/people/invite" kind="primary">
            {texts.invite}
          </ButtonLink>
        }
      />
      <TextField label={texts.search} hint={texts.searchHint} type="search" value={text} onChange={setText} />
      <Loaded query={companies}>
        {(tree) => {
          const open = openIds ?? new Set(tree.root === undefined ? [] : [tree.root.id])
          const toggle = (id: number, isOpen: boolean): void => {
            const ids = new Set(open)
            if (isOpen) ids.add(id)
            else ids.delete(id)
            onOpen(ids)
          }
          return (
            <>
              <ExactAddress key={text} address={text} companies={tree} />
              {text.trim() === '' ? (
                <ul className="people-tree" aria-label={texts.companies}>
                  {tree.root !== undefined && (
                    <CompanyBranch company={tree.root} companies={tree} open={open} onToggle={toggle} />
                  )}
                </ul>
              ) : (
                <Matches text={text} companies={tree} open={open} onToggle={toggle} />
              )}
            </>
          )
        }}
      </Loaded>
    </>
  )
}

interface MatchesProps {
  readonly text: string
  readonly companies: Companies
  readonly open: ReadonlySet<number>
  readonly onToggle: (id: number, isOpen: boolean) => void
}

/** The companies that a text names, and those with loaded users that match: without the tree. */
function Matches({ text, companies, open, onToggle }: MatchesProps): ReactElement {
  const texts = useTexts(TEXTS)
  const loadedOf = useLoadedUsers()
  const sought = text.trim().toLowerCase()
  const found = companies.all
    .map((company) => ({
      company,
      isNamed: company.name.toLowerCase().includes(sought),
      users: loadedOf(company.id).filter((user) => matches(user, text)).length,
    }))
    .filter(({ isNamed, users }) => isNamed || users > 0)
  const count = found.reduce((sum, { users }) => sum + users, 0)
  return (
    <>
      <p role="status" className="soft">
        {texts.found(count)}
      </p>
      {found.length === 0 && <EmptyState title={texts.noMatch}>{texts.noMatchText}</EmptyState>}
      <ul className="people-tree" aria-label={texts.companies}>
        {found.slice(0, MAX_MATCHES).map(({ company, isNamed, users }) => (
          <CompanyBranch
            key={company.id}
            company={company}
            open={users > 0 ? new Set([...open, company.id]) : open}
            onToggle={onToggle}
            {...(!isNamed && { text })}
          />
        ))}
      </ul>
    </>
  )
}

const MAX_COMPANIES = 200
const AT_ONCE = 5

interface ExactAddressProps {
  readonly address: string
  readonly companies: Companies
}

/** Looks for an address in all companies, also in those that are not loaded. Give it the address as its `key`. */
function ExactAddress({ address, companies }: ExactAddressProps): ReactElement | null {
  const texts = useTexts(TEXTS)
  const [isAsked, setAsked] = useState(false)
  if (!/^\s*\S+@\S+\s*$/.test(address)) return null
  if (isAsked) return <Answers address={address.trim()} companies={companies} />
  return (
    <p>
      <Button onPress={() => setAsked(true)}>{texts.exact}</Button>
    </p>
  )
}

function Answers({ address, companies }: ExactAddressProps): ReactElement {
  const texts = useTexts(TEXTS)
  const api = useApi()
  const asked = companies.all.slice(0, MAX_COMPANIES)
  const query = useQuery({
    queryKey: ['people', 'address', address],
    queryFn: async ({ signal }) => {
      const found: { readonly company: Company; readonly user: UserDetails }[] = []
      const ask = async (company: Company): Promise<void> => {
        const params = { query: { email: address, cid: company.id } }
        try {
          found.push({ company, user: await dataOf(api.GET('/tenant/user', { params, signal })) })
        } catch (error) {
          if (!(error instanceof AlcoveApiError) || error.status !== 404) throw error
        }
      }
      for (let next = 0; next < asked.length; next += AT_ONCE) {
        await Promise.all(asked.slice(next, next + AT_ONCE).map(ask))
      }
      return found
    },
  })
  return (
    <Loaded query={query}>
      {(found) => (
        <section role="status" className="panel">
          <h2>{texts.exactFound}</h2>
          {found.length === 0 && <p>{texts.exactNone(address)}</p>}
          <ul className="people-users">
            {found.map(({ company, user }) => (
              <li key={user.id}>
                {company.name}
                <ul className="people-users">
                  <UserLine user={user} />
                </ul>
              </li>
            ))}
          </ul>
          {asked.length < companies.all.length && <Note kind="warning">{texts.exactMore(asked.length)}</Note>}
        </section>
      )}
    </Loaded>
  )
}
