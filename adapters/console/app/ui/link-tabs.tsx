import { type FocusEvent, type ReactElement, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { showCurrent } from './show-current.js'

interface LinkTab {
  readonly href: string
  readonly title: string
  /** True for the page that is shown. */
  readonly isCurrent: boolean
}

/** The pages of a section as links that look like tabs. @param label names them for screen readers */
export function LinkTabs({ label, tabs }: { readonly label: string; readonly tabs: readonly LinkTab[] }): ReactElement {
  const links = useRef<HTMLElement>(null)
  const current = tabs.find(({ isCurrent }) => isCurrent)?.href
  const count = tabs.length
  useEffect(() => showCurrent(links.current), [current])
  // Some tabs come once the server has told the rights of the user, who may use the keyboard by then.
  useEffect(() => showCurrent(links.current, { keepsFocus: true }), [count])
  return (
    <nav ref={links} aria-label={label} onFocus={showFocused} className="tab-list">
      {tabs.map(({ href, title, isCurrent }) => (
        <Link key={href} href={href} className="tab tab-link" aria-current={isCurrent ? 'page' : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  )
}

/** A browser leaves a link that is only partly in sight where it is. */
function showFocused({ target }: FocusEvent): void {
  if (target.matches(':focus-visible')) target.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}
