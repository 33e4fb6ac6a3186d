import type { ReactElement } from 'react'
import { useFormat } from '../../texts/format.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Checkbox, NumberField, Select, TextField } from '../../ui/form/fields.js'
import type { FieldErrors } from '../check-gpt.js'
import { useFocusNext } from '../use-focus-next.js'
import { newParameter, PARAMETER_TYPES, type ParameterDraft, RUN_AGENT, type ToolDraft } from './tool-draft.js'

const TEXTS = phrases({
  en: {
    title: (place: string, name: string) => (name === '' ? `Tool ${place}` : `Tool ${place}: ${name}`),
    removeTool: (place: string) => `Remove tool ${place}`,
    name: 'Function name',
    nameHint: 'The model calls the tool by it, such as book_room.',
    description: 'Description',
    descriptionHint: 'Tells the model what the tool does and when to use it.',
    id: 'Number of the tool',
    idHint: 'Tells the tools of this GPT apart.',
    agentId: 'Number of the agent',
    agentIdHint: 'The agent of your platform that runs.',
    action: 'Action',
    actionHint: 'The only kind of tool there is.',
    parameters: 'Parameters',
    noParameters: 'The agent gets no values from the model.',
    add: 'Add a parameter',
  },
  de: {
    title: (place, name) => (name === '' ? `Werkzeug ${place}` : `Werkzeug ${place}: ${name}`),
    removeTool: (place) => `Werkzeug ${place} entfernen`,
    name: 'Funktionsname',
    nameHint: 'Damit ruft das Modell das Werkzeug auf, zum Beispiel book_room.',
    description: 'Beschreibung',
    descriptionHint: 'Sagt dem Modell, was das Werkzeug tut und wann es passt.',
    id: 'Nummer des Werkzeugs',
    idHint: 'Unterscheidet die Werkzeuge dieses GPTs.',
    agentId: 'Nummer des Agenten',
    agentIdHint: 'Der Agent deiner Plattform, der läuft.',
    action: 'Aktion',
    actionHint: 'Die einzige Art von Werkzeug, die es gibt.',
    parameters: 'Parameter',
    noParameters: 'Der Agent bekommt keine Werte vom Modell.',
    add: 'Parameter hinzufügen',
  },
})

interface ToolFieldsProps {
  readonly tool: ToolDraft
  readonly index: number
  readonly errors: FieldErrors
  readonly onChange: (update: (present: ToolDraft) => ToolDraft) => void
  readonly onRemove: () => void
}

/** The fields of one tool: the table of the specification. */
export function ToolFields({ tool, index, errors, onChange, onRemove }: ToolFieldsProps): ReactElement {
  const texts = useTexts(TEXTS)
  const { number } = useFormat()
  const focusNext = useFocusNext()
  const path = `toolsJson[${index}]`
  const { key, parameters } = tool
  const change = (changes: Partial<ToolDraft>): void => onChange((present) => ({ ...present, ...changes }))
  const setParameters = (update: (present: readonly ParameterDraft[]) => readonly ParameterDraft[]): void =>
    onChange((present) => ({ ...present, parameters: update(present.parameters) }))
  const add = (): void => {
    const parameter = newParameter()
    setParameters((present) => [...present, parameter])
    focusNext(`${parameter.key}-name`)
  }
  const remove = (removed: string): void => {
    setParameters((present) => present.filter((each) => each.key !== removed))
    focusNext(`${key}-add`)
  }
  return (
    <fieldset className="gpts-tool">
      <legend>{texts.title(number(index + 1), tool.name)}</legend>
      <div className="columns">
        <TextField
          id={`${key}-name`}
          label={texts.name}
          hint={texts.nameHint}
          value={tool.name}
          onChange={(name) => change({ name })}
          error={errors[`${path}.name`]}
          isRequired
        />
        <NumberField
          label={texts.agentId}
          hint={texts.agentIdHint}
          value={tool.agentId}
          onChange={(agentId) => change({ agentId })}
          error={errors[`${path}.agentId`]}
          isRequired
        />
      </div>
      <TextField
        label={texts.description}
        hint={texts.descriptionHint}
        rows={2}
        value={tool.description}
        onChange={(description) => change({ description })}
        error={errors[`${path}.description`]}
      />
      <div className="columns">
        <NumberField
          label={texts.id}
          hint={texts.idHint}
          value={tool.id}
          onChange={(id) => change({ id })}
          error={errors[`${path}.id`]}
          isRequired
        />
        <TextField
          label={texts.action}
          hint={texts.actionHint}
          value={RUN_AGENT}
          onChange={() => undefined}
          isDisabled
        />
      </div>
      <h3>{texts.parameters}</h3>
      {parameters.length === 0 && <p className="soft">{texts.noParameters}</p>}
      {parameters.map((parameter, place) => (
        <ToolParameter
          key={parameter.key}
          parameter={parameter}
          place={number(place + 1)}
          path={`${path}.parameters[${place}]`}
          errors={errors}
          onChange={(changes) =>
            setParameters((present) =>
              present.map((each) => (each.key === parameter.key ? { ...each, ...changes } : each)),
            )
          }
          onRemove={() => remove(parameter.key)}
        />
      ))}
      <div className="actions">
        <Button id={`${key}-add`} onPress={add}>
          {texts.add}
        </Button>
        <Button kind="danger" onPress={onRemove}>
          {texts.removeTool(number(index + 1))}
        </Button>
      </div>
    </fieldset>
  )
}

const TOOL_PARAMETER_TEXTS = phrases({
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
function ToolParameter(props: ToolParameterProps): ReactElement {
  const { parameter, place, path, errors, onChange, onRemove } = props
  const texts = useTexts(TOOL_PARAMETER_TEXTS)
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
