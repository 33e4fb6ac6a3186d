import { type ReactElement, type ReactNode, useState } from 'react'

interface FoldProps {
  /** The line that is always visible. */
  readonly title: string
  readonly isOpenAtFirst?: boolean
  /** True if there is something inside that the user must see. */
  readonly mustBeOpen?: boolean
  readonly children: ReactNode
}

/** A part of the page that opens by its first line. */
export function Fold({ title, isOpenAtFirst = false, mustBeOpen = false, children }: FoldProps): ReactElement {
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  return (
    <details
      className="search-fold"
      open={isOpen || mustBeOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{title}</summary>
      {children}
    </details>
  )
}
