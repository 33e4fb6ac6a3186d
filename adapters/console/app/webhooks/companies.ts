import { useQuery } from '@tanstack/react-query'
import { dataOf, useApi } from '../api/api.js'
import { useLogin } from '../login/use-login.js'
import { type Texts, useTexts } from '../texts/language.js'
import { WEBHOOKS_KEY } from './queries.js'

interface Company {
  readonly id: number
  readonly name: string
}

const PAGE_SIZE = 1_000
const STALE_MS = 30_000

/**
 * The companies whose webhooks the user manages: the company and those below it. Only who manages users may list them;
 * for others, and until the answer is there, they are those that the login names.
 */
export function useCompanies(): readonly Company[] {
  const api = useApi()
  const { can, login } = useLogin()
  const { data } = useQuery({
    queryKey: [...WEBHOOKS_KEY, 'companies'],
    enabled: can('tenant:manage'),
    staleTime: STALE_MS,
    queryFn: async ({ signal }) => {
      const all: Company[] = []
      for (let after = 0; ; ) {
        const params = { query: { limit: PAGE_SIZE, after } }
        const page = await dataOf(api.GET('/tenant/companies', { params, signal }))
        all.push(...page)
        const last = page.at(-1)
        if (last === undefined || page.length < PAGE_SIZE) return all
        after = last.id
      }
    },
  })
  if (data !== undefined) return data
  const managed = login.accounts.filter(({ capabilities }) => capabilities.includes('webhook:manage'))
  return [...new Map(managed.map(({ customerId, customerName }) => [customerId, customerName]))].map(([id, name]) => ({
    id,
    name,
  }))
}

/** The company that a page begins with if there are several; undefined leaves the choice to the server. */
export function useFirstCompany(): number | undefined {
  const companies = useCompanies()
  const { customerId } = useLogin().login.user
  if (companies.length < 2) return undefined
  return (companies.find(({ id }) => id === customerId) ?? companies[0])?.id
}

const TEXTS: Texts<{ readonly company: (id: number) => string }> = {
  en: { company: (id) => `Company ${id}` },
  de: { company: (id) => `Firma ${id}` },
}

/** A function that names a company: by its number if the page does not know it. */
export function useCompanyName(): (id: number) => string {
  const companies = useCompanies()
  const { company } = useTexts(TEXTS)
  return (id) => companies.find((each) => each.id === id)?.name ?? company(id)
}
