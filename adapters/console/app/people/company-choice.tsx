import { type ReactElement, useState } from 'react'
import { ListBox, ListBoxItem } from 'react-aria-components'
import { useTexts } from '../texts/phrases.js'
import { Select, TextField } from '../ui/form/fields.js'
import { INCOMPLETE } from '../ui/form/form.js'
import { useFieldProblem } from '../ui/form/use-field-problem.js'
import { ErrorNote } from '../ui/notes.js'
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

interface ListItem {
  readonly id: number
  readonly name: string
  readonly hint?: string
}

interface ListChoiceProps {
  readonly label: string
  /** Names the field that finds items. */
  readonly findLabel: string
  readonly text: string
  readonly onText: (text: string) => void
  /** The items that match the text. */
  readonly items: readonly ListItem[]
  readonly value: number | undefined
  readonly onChange: (id: number) => void
  /** Shown instead of an empty list. */
  readonly empty: string
  /** A sentence below the list. */
  readonly note?: string | undefined
  readonly isRequired?: boolean
}

/** One of many items: a field to find it, and a short list. */
export function ListChoice(props: ListChoiceProps): ReactElement {
  const { label, findLabel, text, onText, items, value, onChange, empty, note, isRequired = false } = props
  const problem = useFieldProblem({ isRequired, isEmpty: value === undefined }, 'choice')
  return (
    <fieldset className="people-choice" {...(problem !== undefined && INCOMPLETE)}>
      <legend>{label}</legend>
      <TextField label={findLabel} type="search" value={text} onChange={onText} error={problem} />
      <ListBox
        className="listbox people-list"
        aria-label={label}
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={value === undefined ? [] : [value]}
        onSelectionChange={(keys) => {
          const [id] = keys === 'all' ? [] : [...keys]
          if (id !== undefined) onChange(Number(id))
        }}
        items={items}
        renderEmptyState={() => <p className="soft">{empty}</p>}
      >
        {({ id, name, hint }) => (
          <ListBoxItem id={id} textValue={name} className="listbox-item">
            <span>{name}</span>
            {hint !== undefined && <span className="hint">{hint}</span>}
          </ListBoxItem>
        )}
      </ListBox>
      {note !== undefined && <p className="hint">{note}</p>}
    </fieldset>
  )
}
