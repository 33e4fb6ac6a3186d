import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { AlcoveApiError, dataOf, useApi } from '../../api/api.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Loaded, Note } from '../../ui/notes.js'
import { TEXTS } from '../people-texts.js'
import type { Companies, Company } from '../use-companies.js'
import type { UserDetails } from '../use-users.js'
import { UserLine } from './user-line.js'

const MAX_COMPANIES = 200
const AT_ONCE = 5

interface ExactAddressProps {
  readonly address: string
  readonly companies: Companies
}

/** Looks for an address in all companies, also in those that are not loaded. Give it the address as its `key`. */
export function ExactAddress({ address, companies }: ExactAddressProps): ReactElement | null {
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
