import type { ReactElement } from 'react'
import { ListBox, ListBoxItem } from 'react-aria-components'
import { TextField } from '../ui/form/fields.js'
import { INCOMPLETE } from '../ui/form/form.js'
import { useFieldProblem } from '../ui/form/use-field-problem.js'

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
