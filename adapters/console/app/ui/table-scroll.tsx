import type { ReactElement, ReactNode } from 'react'

/** The place of a table. It scrolls sideways by itself if the page is too narrow, also by keyboard. */
export function TableScroll({
  label,
  children,
}: {
  readonly label: string
  readonly children: ReactNode
}): ReactElement {
  return (
    <section className="table-scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}
