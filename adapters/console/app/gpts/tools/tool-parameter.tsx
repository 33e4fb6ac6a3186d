import type { ReactElement } from 'react'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Checkbox, Select, TextField } from '../../ui/form/fields.js'
import type { FieldErrors } from '../check-gpt.js'
import { PARAMETER_TYPES, type ParameterDraft } from './tool-draft.js'

const TEXTS = phrases({
  en: {
    title: (place: string) => `Parameter ${place}`,
    name: 'Name',
    type: 'Type',
    types: { string: 'Text (string)', integer: 'Whole number (integer)', boolean: 'Yes or no (boolean)' },
    description: 'Description',
    descriptionHint: 'Tells the model what to give.',
    required: 'The model must give a value',
    remove: (place: string) => `Remove parameter ${place}`,
  },
  de: {
    title: (place) => `Parameter ${place}`,
    name: 'Name',
    type: 'Typ',
    types: { string: 'Text (string)', integer: 'Ganze Zahl (integer)', boolean: 'Ja oder nein (boolean)' },
    description: 'Beschreibung',
    descriptionHint: 'Sagt dem Modell, was es angeben soll.',
    required: 'Das Modell muss einen Wert angeben',
    remove: (place) => `Parameter ${place} entfernen`,
  },
})

interface ToolParameterProps {
  readonly parameter: ParameterDraft
  readonly place: string
  /** The path in errors, such as `toolsJson[0].parameters[1]`. */
  readonly path: string
  readonly errors: FieldErrors
  readonly onChange: (changes: Partial<ParameterDraft>) => void
  readonly onRemove: () => void
}

/** The fields of one parameter of a tool. */
export function ToolParameter(props: ToolParameterProps): ReactElement {
  const { parameter, place, path, errors, onChange, onRemove } = props
  const texts = useTexts(TEXTS)
  return (
    <fieldset className="gpts-parameter">
      <legend>{texts.title(place)}</legend>
      <div className="columns">
        <TextField
          id={`${parameter.key}-name`}
          label={texts.name}
          value={parameter.paramName}
          onChange={(paramName) => onChange({ paramName })}
          error={errors[`${path}.paramName`]}
          isRequired
        />
        <Select
          label={texts.type}
          choices={PARAMETER_TYPES.map((type) => ({ value: type, label: texts.types[type] }))}
          value={parameter.type}
          onChange={(type) => onChange({ type })}
          error={errors[`${path}.type`]}
        />
      </div>
      <TextField
        label={texts.description}
        hint={texts.descriptionHint}
        value={parameter.description}
        onChange={(description) => onChange({ description })}
        error={errors[`${path}.description`]}
      />
      <div className="gpts-parameter-foot">
        <Checkbox
          label={texts.required}
          isSelected={parameter.required}
          onChange={(required) => onChange({ required })}
        />
        <Button kind="quiet" onPress={onRemove}>
          {texts.remove(place)}
        </Button>
      </div>
    </fieldset>
  )
}
