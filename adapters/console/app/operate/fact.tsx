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
