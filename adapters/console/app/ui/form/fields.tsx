import { type ReactElement, type ReactNode, useContext, useState } from 'react'
import {
  Select as AriaSelect,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
  Button,
  CheckboxButton,
  CheckboxField,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  RadioButton,
  RadioField,
  RadioGroup,
  SelectValue,
  SwitchButton,
  SwitchField,
  Text,
  TextArea,
} from 'react-aria-components'
import { Named } from '../named.js'
import { INCOMPLETE, IsTried } from './form.js'
import {
  isNumberTaken,
  parseNumber,
  useDateInput,
  useEmailProblem,
  useFieldProblem,
  useNumberProblem,
} from './use-field-problem.js'

interface FieldProps {
  readonly label: string
  /** A sentence below the field: what the value means. */
  readonly hint?: ReactNode
  /** A sentence that says what is wrong with the value. */
  readonly error?: string | undefined
  readonly isRequired?: boolean
  readonly isDisabled?: boolean
}

interface TextFieldProps extends FieldProps, Pick<AriaTextFieldProps, 'id' | 'inputMode' | 'onKeyDown'> {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly name?: string
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'search' | 'date'
  readonly autoComplete?: string
  readonly placeholder?: string
  readonly maxLength?: number
  readonly autoFocus?: boolean
  /** More than 1 for a field of several lines. */
  readonly rows?: number
}

/**
 * The texts of a field, and its attributes for them.
 * @param error what its form has found
 * @param problem what it has found by itself
 */
function tellProblem(error: string | undefined, problem: string | undefined) {
  const told = error ?? problem
  return { told, marks: { ...(problem !== undefined && INCOMPLETE), isInvalid: told !== undefined } }
}

export function TextField({ label, hint, error, rows = 1, placeholder, ...props }: TextFieldProps): ReactElement {
  const { value, type, isRequired } = props
  const shown = placeholder === undefined ? {} : { placeholder }
  const missing = useFieldProblem({ isRequired, isEmpty: value.trim() === '' }, 'text')
  const wrongEmail = useEmailProblem(value, type === 'email')
  const date = useDateInput(value, type === 'date')
  const { told, marks } = tellProblem(error, date.problem ?? missing ?? wrongEmail)
  return (
    <AriaTextField {...props} {...marks} className="field">
      <Label>{label}</Label>
      {rows > 1 ? <TextArea rows={rows} {...shown} /> : <Input {...shown} {...date.events} />}
      <Hints hint={hint} error={told} />
    </AriaTextField>
  )
}

interface NumberFieldProps extends FieldProps {
  /** NaN for an empty field. */
  readonly value: number
  readonly onChange: (value: number) => void
  readonly minValue?: number
  readonly maxValue?: number
  readonly step?: number
}

/**
 * A field for a number, with a comma or a point. It never changes what the user has typed: it says its bounds, and holds
 * the form back. Outside of a form, a number beyond the bounds counts as none.
 */
export function NumberField(props: NumberFieldProps): ReactElement {
  const { label, hint, error, value, onChange, minValue: min, maxValue: max, step, ...others } = props
  const [text, setText] = useState('')
  const [isLeft, setLeft] = useState(false)
  const isInForm = useContext(IsTried) !== undefined
  const isWhole = step === undefined || Number.isInteger(step)
  const rules = { min, max, isWhole, isRequired: others.isRequired === true }
  const valueOf = (typed: string): number => (isInForm || isNumberTaken(typed, rules) ? parseNumber(typed) : Number.NaN)
  // A text such as "0," is on its way to a number.
  const shown = Object.is(valueOf(text), value) ? text : numberText(value)
  const range = useNumberProblem(shown, rules, isLeft)
  const missing = useFieldProblem({ isRequired: others.isRequired, isEmpty: shown.trim() === '' }, 'text')
  const { told, marks } = tellProblem(error, range.problem ?? missing)
  return (
    <AriaTextField
      {...others}
      {...marks}
      {...(range.isWrong && INCOMPLETE)}
      className="field"
      inputMode={isWhole ? 'numeric' : 'decimal'}
      value={shown}
      onChange={(typed) => {
        setText(typed)
        setLeft(false)
        onChange(valueOf(typed))
      }}
      onBlur={() => {
        setLeft(true)
        if (isNumberTaken(text, rules)) setText('')
      }}
    >
      <Label>{label}</Label>
      <Input />
      <Hints hint={hint} error={told} />
    </AriaTextField>
  )
}

function numberText(value: number): string {
  return Number.isNaN(value) ? '' : String(value)
}

export interface Choice<Value extends string> {
  readonly value: Value
  readonly label: string
  /** A sentence about the choice. */
  readonly hint?: string
  /** The technical name: beside the label if it differs. */
  readonly technical?: string
}

interface ChoiceProps<Value extends string> extends FieldProps {
  readonly choices: readonly Choice<Value>[]
  readonly value: Value | null
  readonly onChange: (value: Value) => void
}

/** A list of choices that opens. */
export function Select<Value extends string>({
  label,
  hint,
  error,
  choices,
  value,
  onChange,
  ...props
}: ChoiceProps<Value> & { readonly placeholder?: string }): ReactElement {
  const problem = useFieldProblem({ isRequired: props.isRequired, isEmpty: value === null }, 'choice')
  const { told, marks } = tellProblem(error, problem)
  return (
    <AriaSelect
      {...props}
      {...marks}
      className="field"
      value={value}
      onChange={(key) => {
        const chosen = choices.find((choice) => choice.value === key)
        if (chosen !== undefined) onChange(chosen.value)
      }}
    >
      <Label>{label}</Label>
      <Button className="select">
        <SelectValue />
        <span aria-hidden="true" className="select-arrow" />
      </Button>
      <Hints hint={hint} error={told} />
      <Popover className="popover">
        <ListBox className="listbox" items={choices}>
          {(choice) => (
            <ListBoxItem id={choice.value} textValue={choice.label} className="listbox-item">
              <Text slot="label">
                <Named name={choice.label} technical={choice.technical ?? choice.label} />
              </Text>
              {choice.hint !== undefined && <Text slot="description">{choice.hint}</Text>}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  )
}

/** A few choices that are all visible. */
export function Choices<Value extends string>({
  label,
  hint,
  error,
  choices,
  value,
  onChange,
  ...props
}: ChoiceProps<Value>): ReactElement {
  return (
    <RadioGroup
      {...props}
      className="field"
      isInvalid={error !== undefined}
      value={value}
      onChange={(key) => {
        const chosen = choices.find((choice) => choice.value === key)
        if (chosen !== undefined) onChange(chosen.value)
      }}
    >
      <Label>{label}</Label>
      <div className="choices">
        {choices.map((choice) => (
          <RadioField key={choice.value} value={choice.value}>
            <RadioButton className="choice">
              <span className="choice-mark" aria-hidden="true" />
              {choice.label}
            </RadioButton>
            {choice.hint !== undefined && (
              <Text slot="description" className="hint">
                {choice.hint}
              </Text>
            )}
          </RadioField>
        ))}
      </div>
      <Hints hint={hint} error={error} />
    </RadioGroup>
  )
}

interface TickProps {
  readonly label: ReactNode
  readonly hint?: string
  readonly isSelected: boolean
  readonly onChange: (isSelected: boolean) => void
  readonly isDisabled?: boolean
}

export function Checkbox({ label, hint, ...props }: TickProps): ReactElement {
  return (
    <CheckboxField {...props}>
      <CheckboxButton className="choice">
        <span className="choice-mark choice-mark-square" aria-hidden="true" />
        {label}
      </CheckboxButton>
      <TickHint>{hint}</TickHint>
    </CheckboxField>
  )
}

/** Something that is on or off at once, without a button to save it. */
export function Switch({ label, hint, ...props }: TickProps): ReactElement {
  return (
    <SwitchField {...props}>
      <SwitchButton className="choice">
        <span className="switch-mark" aria-hidden="true" />
        {label}
      </SwitchButton>
      <TickHint>{hint}</TickHint>
    </SwitchField>
  )
}

function TickHint({ children }: { readonly children: string | undefined }): ReactElement | null {
  if (children === undefined) return null
  return (
    <Text slot="description" className="hint">
      {children}
    </Text>
  )
}

function Hints({ hint, error }: Pick<FieldProps, 'hint' | 'error'>): ReactElement {
  return (
    <>
      {hint !== undefined && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <FieldError className="field-error">{error}</FieldError>
    </>
  )
}
