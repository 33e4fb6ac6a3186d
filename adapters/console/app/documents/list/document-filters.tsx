import { type ReactElement, useEffect, useRef, useState } from 'react'
import { useTexts } from '../../texts/phrases.js'
import { Select, TextField } from '../../ui/form/fields.js'
import { TEXTS } from '../texts.js'
import { type Filters, STATE_FILTERS } from './filters.js'
import { LIST_TEXTS } from './list-texts.js'

/** The server is asked once the user has stopped typing for this time. */
const TYPING_MS = 250

/** The fields of the conditions for the documents that the list shows. */
export function DocumentFilters({
  filters,
  onChange,
}: {
  readonly filters: Filters
  readonly onChange: (changes: Partial<Filters>) => void
}): ReactElement {
  const texts = useTexts(LIST_TEXTS)
  const { state } = useTexts(TEXTS)
  const [typed, setTyped] = useTyped(filters.name, (name) => onChange({ name }))
  return (
    <div className="docs-filters">
      <TextField label={texts.findName} type="search" value={typed} maxLength={1_000} onChange={setTyped} />
      <Select
        label={state}
        choices={STATE_FILTERS.map((value) => ({ value, label: texts.states[value] }))}
        value={filters.state}
        onChange={(value) => onChange({ state: value })}
      />
    </div>
  )
}

/** The text of a field, whose changes are told after a pause. A value that changes elsewhere replaces the text. */
function useTyped(value: string, onChange: (value: string) => void): [string, (typed: string) => void] {
  const [typed, setTyped] = useState(value)
  const told = useRef(value)
  const latest = useRef(onChange)
  useEffect(() => {
    latest.current = onChange
  })
  useEffect(() => {
    if (value === told.current) return
    told.current = value
    setTyped(value)
  }, [value])
  useEffect(() => {
    if (typed.trim() === told.current) return
    const timer = setTimeout(() => {
      told.current = typed.trim()
      latest.current(told.current)
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return [typed, setTyped]
}
