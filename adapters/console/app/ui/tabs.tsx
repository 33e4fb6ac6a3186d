import { type FocusEvent, type ReactElement, type ReactNode, useEffect, useRef } from 'react'
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from 'react-aria-components'
import { Link } from 'wouter'

interface TabsProps {
  /** Names the list of tabs for screen readers. */
  readonly label: string
  readonly tabs: readonly { readonly id: string; readonly title: string; readonly content: ReactNode }[]
  /** The shown tab, if the page decides. */
  readonly selected?: string
  readonly onSelect?: (id: string) => void
}

/** Several views of one thing, of which one is visible. */
export function Tabs({ label, tabs, selected, onSelect }: TabsProps): ReactElement {
  return (
    <AriaTabs
      className="tabs"
      {...(selected !== undefined && { selectedKey: selected })}
      {...(onSelect !== undefined && { onSelectionChange: (key) => onSelect(String(key)) })}
    >
      <TabList aria-label={label} className="tab-list">
        {tabs.map(({ id, title }) => (
          <Tab key={id} id={id} className="tab">
            {title}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} className="tab-panel">
          {content}
        </TabPanel>
      ))}
    </AriaTabs>
  )
}

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

/**
 * Scrolls links sideways to the current one, where they have no room.
 * @param keepsFocus true to keep a link with visible focus in sight instead
 */
export function showCurrent(links: HTMLElement | null, { keepsFocus = false } = {}): void {
  const focused = keepsFocus ? links?.querySelector(':focus-visible') : null
  const shown = focused ?? links?.querySelector('[aria-current]')
  if (links == null || shown == null) return
  const [place, room] = [shown.getBoundingClientRect(), links.getBoundingClientRect()]
  if (place.left < room.left || place.right > room.right) links.scrollLeft += place.left - room.left
}
