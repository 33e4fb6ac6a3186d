import type { ReactElement } from 'react'
import { NumberField } from '../../ui/form/fields.js'

interface IdFieldProps {
  readonly label: string
  readonly hint: string
  /** Empty for none. */
  readonly id: string
  readonly onChange: (id: string) => void
}

/** A field for the number of a thing. */
export function IdField({ label, hint, id, onChange }: IdFieldProps): ReactElement {
  return (
    <NumberField
      label={label}
      hint={hint}
      value={id === '' ? Number.NaN : Number(id)}
      minValue={1}
      onChange={(value) => onChange(Number.isNaN(value) ? '' : String(value))}
    />
  )
}
