import type { ReactElement, ReactNode } from 'react'

/** A name with its value, in a list of the class `facts`. */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactElement {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

interface MeterProps {
  readonly label: string
  /** The numbers as a text. */
  readonly text: string
  readonly used: number
  readonly limit: number
}

/** The share of a limit from which the meter warns. */
const HIGH = 0.9

/** Shows how much of a limit is used: as a bar, and as a text. */
export function Meter({ label, text, used, limit }: MeterProps): ReactElement {
  return (
    <div className="operate-meter">
      <span>{label}</span>
      <span>{text}</span>
      <meter min={0} max={limit} high={limit * HIGH} optimum={0} value={used} aria-label={`${label}: ${text}`} />
    </div>
  )
}
