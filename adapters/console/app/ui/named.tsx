import type { ReactElement } from 'react'

interface NamedProps {
  /** For people. */
  readonly name: string
  /** The name that the API and the command line use. It follows in small type if it differs. */
  readonly technical: string
}

export function Named({ name, technical }: NamedProps): ReactElement {
  return (
    <>
      {name}
      {name !== technical && (
        <>
          {' '}
          <small className="technical" translate="no">
            {technical}
          </small>
        </>
      )}
    </>
  )
}
