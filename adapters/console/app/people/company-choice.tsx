import { type ReactElement, useState } from 'react'
import { useTexts } from '../texts/phrases.js'
import { Select } from '../ui/form/fields.js'
import { ErrorNote } from '../ui/notes.js'
import { ListChoice } from './list-choice.js'
import { TEXTS } from './people-texts.js'
import { useCompanies } from './use-companies.js'

interface CompanyChoiceProps {
  readonly value: number | undefined
  readonly onChange: (id: number) => void
}

/** More companies than that get a field to find one. */
const MAX_SELECT = 50

/** Chooses one of the companies in reach. Nothing for somebody who manages only one. */
export function CompanyChoice({ value, onChange }: CompanyChoiceProps): ReactElement | null {
  const texts = useTexts(TEXTS)
  const { data, error, refetch } = useCompanies()
  const [text, setText] = useState('')
  if (data === undefined) return <ErrorNote error={error} onRetry={() => void refetch()} />
  if (data.all.length <= 1 && (value === undefined || data.get(value) !== undefined)) return null
  if (data.all.length <= MAX_SELECT) {
    return (
      <Select
        label={texts.company}
        choices={data.all.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={value === undefined ? null : String(value)}
        isRequired
        onChange={(id) => onChange(Number(id))}
      />
    )
  }
  const chosen = value === undefined ? undefined : data.get(value)
  const found = data.all.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
  const others = found.filter((company) => company !== chosen).slice(0, MAX_SELECT)
  return (
    <ListChoice
      label={texts.company}
      findLabel={texts.chooseCompany}
      text={text}
      onText={setText}
      items={chosen === undefined ? others : [chosen, ...others]}
      value={value}
      isRequired
      onChange={onChange}
      empty={texts.noSuchCompany}
      note={found.length > MAX_SELECT ? texts.moreMatches : undefined}
    />
  )
}
