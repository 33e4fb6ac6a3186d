import { type Company, useAllCompanies } from '../api/companies.js'
import { useLogin } from '../login/use-login.js'
import { phrases, useTexts } from '../texts/phrases.js'
import { nameOf } from './destinations/destination-state.js'
import { useDestinations } from './queries.js'

/**
 * The companies whose webhooks the user manages: the company and those below it. Only who manages users may list them;
 * for others, and until the answer is there, they are those that the login names.
 */
export function useCompanies(): readonly Pick<Company, 'id' | 'name'>[] {
  const { can, login } = useLogin()
  const { data } = useAllCompanies({ enabled: can('tenant:manage') })
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

const TEXTS = phrases({
  en: { company: (id: number) => `Company ${id}` },
  de: { company: (id) => `Firma ${id}` },
})

/** A function that names a company: by its number if the page does not know it. */
export function useCompanyName(): (id: number) => string {
  const companies = useCompanies()
  const { company } = useTexts(TEXTS)
  return (id) => companies.find((each) => each.id === id)?.name ?? company(id)
}

const DESTINATION_NAME_TEXTS = phrases({
  en: { destination: (id: number) => `Destination ${id}` },
  de: { destination: (id) => `Ziel ${id}` },
})

/** A function that names a destination: by its number if it is deleted or belongs to another company. */
export function useDestinationName(): (id: number) => string {
  const { destination } = useTexts(DESTINATION_NAME_TEXTS)
  const { data = [] } = useDestinations(undefined)
  return (id) => {
    const found = data.find((each) => each.id === id)
    return found === undefined ? destination(id) : nameOf(found)
  }
}
