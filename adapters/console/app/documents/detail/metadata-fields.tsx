import type { ReactElement } from 'react'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Select, TextField } from '../../ui/form/fields.js'
import { TEXTS } from '../texts.js'
import { DETAIL_TEXTS } from './detail-texts.js'
import { type EditedValue, type Kind, problemOf } from './metadata-values.js'

const KINDS: readonly Kind[] = ['text', 'number', 'yes', 'list']

/** Fields for values by key. */
export function MetadataFields({
  values,
  onChange,
}: {
  readonly values: readonly EditedValue[]
  readonly onChange: (values: readonly EditedValue[]) => void
}): ReactElement {
  const texts = useTexts(DETAIL_TEXTS)
  const { metadata } = useTexts(TEXTS)
  const change = (field: number, changed: Partial<EditedValue>): void =>
    onChange(values.map((value) => (value.field === field ? { ...value, ...changed } : value)))
  const add = (): void => {
    const field = Math.max(-1, ...values.map((value) => value.field)) + 1
    onChange([...values, { field, key: '', kind: 'text', text: '' }])
  }
  return (
    <fieldset className="docs-values">
      <legend>{metadata}</legend>
      <p className="hint">{texts.metadataHint}</p>
      {values.map((value) => {
        const { field, key, kind, text } = value
        const problem = problemOf(value, values)
        return (
          <div key={field} className="docs-value">
            <TextField
              label={texts.key}
              value={key}
              onChange={(changed) => change(field, { key: changed })}
              maxLength={100}
              error={problem === 'sameKey' || problem === 'noKey' ? texts[problem] : undefined}
            />
            <Select
              label={texts.kind}
              choices={KINDS.map((choice) => ({ value: choice, label: texts.kinds[choice] }))}
              value={kind}
              onChange={(changed) => change(field, { kind: changed })}
            />
            <TextField
              label={texts.value}
              value={text}
              onChange={(changed) => change(field, { text: changed })}
              hint={kind === 'list' ? texts.listHint : kind === 'yes' ? texts.yesHint : undefined}
              error={problem === 'notNumber' || problem === 'notYes' ? texts[problem] : undefined}
            />
            <Button
              kind="quiet"
              aria-label={texts.removeValue(key)}
              onPress={() => onChange(values.filter((other) => other.field !== field))}
            >
              ×
            </Button>
          </div>
        )
      })}
      <Button onPress={add}>{texts.addValue}</Button>
    </fieldset>
  )
}
