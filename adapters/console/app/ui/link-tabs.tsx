import type { ReactElement } from 'react'
import { Link } from 'wouter'

interface LinkTab {
  readonly href: string
  readonly title: string
  /** True for the page that is shown. */
  readonly isCurrent: boolean
}

/** The pages of a section as links that look like tabs. @param label names them for screen readers */
export function LinkTabs({ label, tabs }: { readonly label: string; readonly tabs: readonly LinkTab[] }): ReactElement {
  return (
    <nav aria-label={label} className="tab-list">
      {tabs.map(({ href, title, isCurrent }) => (
        <Link key={href} href={href} className="tab tab-link" aria-current={isCurrent ? 'page' : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  )
}
