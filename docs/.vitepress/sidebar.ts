/** The sidebar: the groups and the order of `docs/index.md`. A page that it does not name is at the end of all groups. */
import { existsSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import type { DefaultTheme } from 'vitepress'
import { OTHER_PAGES, pagesIn, placeOf, ROOT } from './site-pages.js'

const FOLDERS: readonly string[] = ['tutorials', 'how-to', 'reference', 'explanation']

/** TypeDoc makes these pages, not VitePress, so the browser loads them as a whole. */
const API: DefaultTheme.SidebarItem = { text: 'API of the library', link: '/api/index.html', target: '_self' }

export function sidebar(): DefaultTheme.SidebarItem[] {
  const index = readFileSync(join(ROOT, 'docs/index.md'), 'utf8')
  const named = new Set<string>()
  const groups = index
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [text = ''] = part.split('\n', 1)
      const items = [...part.matchAll(/\]\(([^)#]+\.md)\)/g)].flatMap(([, link = '']) => {
        const path = normalize(`docs/${link}`)
        if (named.has(path) || !path.startsWith('docs/')) return []
        named.add(path)
        return [itemOf(path)]
      })
      return { text, collapsed: false, items: text === 'Reference' ? [...items, API] : items }
    })
  const unnamed = FOLDERS.flatMap((folder) => pagesIn(`docs/${folder}`)).filter((path) => !named.has(path))
  const project = [...pagesIn('docs'), ...Object.keys(OTHER_PAGES)].filter(
    (path) => placeOf(path) !== 'index.md' && !path.startsWith('benchmarks/pages/') && existsSync(join(ROOT, path)),
  )
  return [...groups, { text: 'Project', collapsed: false, items: [...unnamed, ...project].map(itemOf) }]
}

function itemOf(path: string): DefaultTheme.SidebarItem {
  const title = /^# (.*)$/m.exec(readFileSync(join(ROOT, path), 'utf8'))?.[1] ?? path
  return { text: title.replaceAll('`', ''), link: `/${placeOf(path).replace(/\.md$/, '')}` }
}
