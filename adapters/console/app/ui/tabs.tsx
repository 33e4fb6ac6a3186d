import type { ReactElement, ReactNode } from 'react'
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from 'react-aria-components'

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
