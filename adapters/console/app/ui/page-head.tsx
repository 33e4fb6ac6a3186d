import type { ReactElement, ReactNode } from 'react'
import { Link } from 'wouter'

interface PageHeadProps {
  /** The heading of the page, and its title in the browser. */
  readonly title: string
  /** One sentence about the page. */
  readonly children?: ReactNode
  /** Buttons at the end of the line. */
  readonly actions?: ReactNode
}

/** The top of a page: each page has one. */
export function PageHead({ title, children, actions }: PageHeadProps): ReactElement {
  return (
    <div className="page-head">
      <title>{`${title} – Alcove`}</title>
      <div>
        <h1>{title}</h1>
        {children !== undefined && <div className="soft">{children}</div>}
      </div>
      {actions !== undefined && <div>{actions}</div>}
    </div>
  )
}

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
