import type { ReactElement } from 'react'
import { Link } from 'wouter'

/** The way from a page of one thing to the list of all: the first line of the page. */
export function BackLink({ href, children }: { readonly href: string; readonly children: string }): ReactElement {
  return (
    <p className="back">
      <Link href={href}>
        <span aria-hidden="true">‹</span> {children}
      </Link>
    </p>
  )
}
