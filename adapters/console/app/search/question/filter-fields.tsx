import { type ReactElement, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Select, TextField } from '../../ui/form/fields.js'
import { firstBad } from '../../ui/form/form.js'
import { Fold } from '../fold.js'
import { TEXTS } from '../texts.js'
import {
  conditionsOf,
  FILTER_TESTS,
  type FilterCondition,
  type FilterTest,
  readFilter,
  withCondition,
  withoutCondition,
} from './filter.js'

interface FilterFieldsProps {
  /** JSON; empty for no filter. */
  readonly filter: string
  readonly onChange: (filter: string) => void
}

/** The filter of a search: a small form that writes JSON, and the JSON itself. */
export function FilterFields({ filter, onChange }: FilterFieldsProps): ReactElement {
  const texts = useTexts(TEXTS)
  const read = readFilter(filter)
  const object = 'problem' in read ? undefined : (read.filter ?? {})
  const write = (value: object | undefined): void => onChange(value === undefined ? '' : JSON.stringify(value))
  return (
    <Fold title={texts.filter} isOpenAtFirst={filter !== ''} mustBeOpen={object === undefined}>
      <p className="soft">{texts.filterIntro}</p>
      {object !== undefined && (
        <>
          <Conditions conditions={conditionsOf(object)} onRemove={(gone) => write(withoutCondition(object, gone))} />
          <NewCondition onAdd={(condition) => write(withCondition(object, condition))} />
        </>
      )}
      <TextField
        label={texts.json}
        rows={2}
        value={filter}
        onChange={onChange}
        error={'problem' in read ? texts.notJson(read.problem) : undefined}
      />
    </Fold>
  )
}

function Conditions({
  conditions,
  onRemove,
}: {
  readonly conditions: readonly FilterCondition[]
  readonly onRemove: (condition: FilterCondition) => void
}): ReactElement | null {
  const texts = useTexts(TEXTS)
  if (conditions.length === 0) return null
  return (
    <ul className="search-chips">
      {conditions.map((condition) => {
        const { key, test, value } = condition
        const sentence = `${key} ${texts.tests[test]} ${value}`.trim()
        return (
          <li key={`${test} ${key}`} className="search-chip">
            {sentence}
            <Button kind="quiet" aria-label={texts.removeCondition(sentence)} onPress={() => onRemove(condition)}>
              ×
            </Button>
          </li>
        )
      })}
    </ul>
  )
}

function NewCondition({ onAdd }: { readonly onAdd: (condition: FilterCondition) => void }): ReactElement {
  const texts = useTexts(TEXTS)
  const [key, setKey] = useState('')
  const [test, setTest] = useState<FilterTest>('equals')
  const [value, setValue] = useState('')
  const [isTried, setTried] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const needsValue = test !== 'exists' && test !== 'missing'
  const [lacksKey, lacksValue] = [key.trim() === '', needsValue && value.trim() === '']
  const add = (): void => {
    if (lacksKey || lacksValue) {
      flushSync(() => setTried(true))
      firstBad(place.current)?.focus()
      return
    }
    setTried(false)
    onAdd({ key: key.trim(), test, value: value.trim() })
    setKey('')
    setValue('')
  }
  // Enter adds the condition here, and does not search.
  const onKeyDown = (event: { readonly key: string; preventDefault: () => void }): void => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    add()
  }
  return (
    <div
      ref={place}
      className="search-condition"
      onBlur={({ currentTarget, relatedTarget }) => {
        // It is no part of the search before it is added.
        if (!currentTarget.contains(relatedTarget)) setTried(false)
      }}
    >
      <TextField
        label={texts.key}
        value={key}
        onChange={setKey}
        onKeyDown={onKeyDown}
        maxLength={100}
        error={isTried && lacksKey ? texts.needKey : undefined}
      />
      <Select
        label={texts.test}
        value={test}
        onChange={setTest}
        choices={FILTER_TESTS.map((each) => ({ value: each, label: texts.tests[each] }))}
      />
      <TextField
        label={texts.value}
        hint={texts.valueHint}
        value={value}
        onChange={setValue}
        onKeyDown={onKeyDown}
        isDisabled={!needsValue}
        error={isTried && lacksValue ? texts.needValue : undefined}
      />
      <Button onPress={add}>{texts.addCondition}</Button>
    </div>
  )
}
