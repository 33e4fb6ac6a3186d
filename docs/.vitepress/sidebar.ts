/** The sidebar, made from the folders. A new page appears in it without a change here. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DefaultTheme } from 'vitepress'
import { OTHER_PAGES, pagesIn, placeOf, ROOT } from './site-pages.js'

const FOLDERS: Readonly<Record<string, string>> = {
  tutorials: 'Tutorials',
  'how-to': 'How-to guides',
  reference: 'Reference',
  explanation: 'Explanation',
}

/** TypeDoc makes these pages, not VitePress, so the browser loads them as a whole. */
const API: DefaultTheme.SidebarItem = { text: 'API of the library', link: '/api/index.html', target: '_self' }

export function sidebar(): DefaultTheme.SidebarItem[] {
  const groups = Object.entries(FOLDERS).map(([folder, text]) => {
    const items = pagesIn(`docs/${folder}`).map(itemOf)
    return { text, items: folder === 'reference' ? [...items, API] : items }
  })
  const project = [...pagesIn('docs'), ...Object.keys(OTHER_PAGES)].filter(
    (path) => placeOf(path) !== 'index.md' && !path.startsWith('benchmarks/pages/') && existsSync(join(ROOT, path)),
  )
  return [...groups, { text: 'Project', items: project.map(itemOf) }].filter(({ items }) => items.length > 0)
}

function itemOf(path: string): DefaultTheme.SidebarItem {
  const title = /^# (.*)$/m.exec(readFileSync(join(ROOT, path), 'utf8'))?.[1] ?? path
  return { text: title.replaceAll('`', ''), link: `/${placeOf(path).replace(/\.md$/, '')}` }
}
