import type { ReactElement } from 'react'
import { useLanguage, useTexts } from '../../texts/phrases.js'
import { Select, TextField } from '../../ui/form/fields.js'
import { useCompanies } from '../use-companies.js'
import { ACTION_TEXTS, titleOf } from './action-texts.js'
import { ACTIONS, type AuditAction } from './actions.js'
import { AUDIT_TEXTS } from './audit-texts.js'
import { IdField } from './id-field.js'
import { UserFilter } from './user-filter.js'

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
