import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { dataOf, useApi } from '../../api/api.js'
import { useLanguage, useTexts } from '../../texts/phrases.js'
import { NumberField, Select, TextField } from '../../ui/form/fields.js'
import { useCompanies } from '../use-companies.js'
import { useUserNames } from '../use-names.js'
import { ACTION_TEXTS, titleOf } from './action-texts.js'
import { ACTIONS, type AuditAction } from './actions.js'
import { AUDIT_TEXTS } from './audit-texts.js'

/** The filters as texts of the address; an empty one is none. */
export interface AuditFilter {
  readonly company: string
  readonly action: string
  readonly user: string
  /** Days as `2030-01-31`. */
  readonly from: string
  readonly to: string
}

interface AuditFiltersProps {
  readonly filter: AuditFilter
  readonly onChange: (changes: Partial<AuditFilter>) => void
}

const ALL = 'all'

export function AuditFilters({ filter, onChange }: AuditFiltersProps): ReactElement {
  const texts = useTexts(AUDIT_TEXTS)
  const actionTexts = useTexts(ACTION_TEXTS)
  const { language } = useLanguage()
  const actions = (Object.keys(ACTIONS) as AuditAction[])
    .map((value) => ({ value, label: titleOf(actionTexts, value) }))
    .toSorted((a, b) => a.label.localeCompare(b.label, language))
  const choose = (name: 'company' | 'action') => (value: string) => onChange({ [name]: value === ALL ? '' : value })
  return (
    <fieldset className="operate-filters">
      <legend className="visually-hidden">{texts.filters}</legend>
      <CompanyFilter company={filter.company} onChange={choose('company')} />
      <Select
        label={texts.action}
        value={filter.action === '' ? ALL : filter.action}
        onChange={choose('action')}
        choices={[{ value: ALL, label: texts.allActions }, ...actions]}
      />
      <UserFilter user={filter.user} onChange={(user) => onChange({ user })} />
      <TextField label={texts.from} type="date" value={filter.from} onChange={(from) => onChange({ from })} />
      <TextField label={texts.to} type="date" value={filter.to} onChange={(to) => onChange({ to })} />
    </fieldset>
  )
}

/** A choice of companies; of their numbers, if there are many. */
function CompanyFilter({
  company,
  onChange,
}: {
  readonly company: string
  readonly onChange: (company: string) => void
}): ReactElement {
  const texts = useTexts(AUDIT_TEXTS)
  const { data, hasNextPage } = useCompanies()
  const companies = data?.pages.flat() ?? []
  const isUnlisted = company !== '' && companies.every(({ id }) => String(id) !== company)
  if (hasNextPage || isUnlisted) {
    return <IdField label={texts.companyNumber} hint={texts.companyHint} id={company} onChange={onChange} />
  }
  return (
    <Select
      label={texts.company}
      value={company === '' ? ALL : company}
      onChange={onChange}
      choices={[
        { value: ALL, label: texts.allCompanies },
        ...companies.map(({ id, name }) => ({ value: String(id), label: name })),
      ]}
    />
  )
}

interface UserFilterProps {
  /** An id; empty for all users. */
  readonly user: string
  readonly onChange: (user: string) => void
}

const BY_NUMBER = 'number'

/** A choice of those who acted last, by name. Any other user can be given by number. */
function UserFilter({ user, onChange }: UserFilterProps): ReactElement {
  const texts = useTexts(AUDIT_TEXTS)
  const { language } = useLanguage()
  const [isByNumber, setByNumber] = useState(false)
  const number = Number(user)
  const id = Number.isSafeInteger(number) && number > 0 ? number : undefined
  const actors = useActors(id)
  const labelOf = (actor: Actor): string =>
    actor.name === undefined ? texts.actorNumber(actor.id) : `${actor.name} (${actor.id})`
  const named = actors
    .map((actor) => ({ value: String(actor.id), label: labelOf(actor) }))
    .toSorted((a, b) => a.label.localeCompare(b.label, language))
  const choose = (value: string): void => {
    setByNumber(value === BY_NUMBER)
    onChange(value === ALL || value === BY_NUMBER ? '' : value)
  }
  return (
    <>
      <Select
        label={texts.user}
        value={isByNumber ? BY_NUMBER : String(id ?? ALL)}
        onChange={choose}
        choices={[
          { value: ALL, label: texts.allUsers },
          ...named,
          { value: BY_NUMBER, label: texts.userByNumber, hint: texts.userByNumberHint },
        ]}
      />
      {isByNumber && <IdField label={texts.userNumber} hint={texts.userHint} id={user} onChange={onChange} />}
    </>
  )
}

interface IdFieldProps {
  readonly label: string
  readonly hint: string
  /** Empty for none. */
  readonly id: string
  readonly onChange: (id: string) => void
}

/** A field for the number of a thing. */
function IdField({ label, hint, id, onChange }: IdFieldProps): ReactElement {
  return (
    <NumberField
      label={label}
      hint={hint}
      value={id === '' ? Number.NaN : Number(id)}
      minValue={1}
      onChange={(value) => onChange(Number.isNaN(value) ? '' : String(value))}
    />
  )
}

interface Actor {
  readonly id: number
  /** Undefined if it is not known. */
  readonly name: string | undefined
}

const ENTRIES = 500
/** Each name is a request. */
const MAX_ACTORS = 30
const STALE_MS = 60_000

/** The users who acted last, and the chosen one, even if that one has never acted. */
function useActors(chosen: number | undefined): readonly Actor[] {
  const api = useApi()
  const { data = [] } = useQuery({
    queryKey: ['operate', 'actors'],
    queryFn: async ({ signal }) => {
      const { items } = await dataOf(api.GET('/tenant/audit', { params: { query: { limit: ENTRIES } }, signal }))
      const ids = items.flatMap(({ actor }) => (actor.userId === null ? [] : [actor.userId]))
      return [...new Set(ids)].slice(0, MAX_ACTORS)
    },
    staleTime: STALE_MS,
  })
  const ids = [...new Set([...(chosen === undefined ? [] : [chosen]), ...data])]
  const names = useUserNames(ids)
  return ids.map((id, at) => ({ id, name: names[at]?.name }))
}
