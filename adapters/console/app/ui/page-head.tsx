import type { ReactElement, ReactNode } from 'react'

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
