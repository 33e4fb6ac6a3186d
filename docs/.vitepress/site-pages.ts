/** The files of the repository that are pages of the site, and their places there. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT: string = join(import.meta.dirname, '../..')

/** Pages outside of `docs`, by their place on the site. The README is the first page where `docs` has none. */
export const OTHER_PAGES: Readonly<Record<string, string>> = {
  'README.md': existsSync(join(ROOT, 'docs/index.md')) ? 'readme.md' : 'index.md',
  'ARCHITECTURE.md': 'architecture.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'benchmarks/README.md': 'benchmarks.md',
  ...Object.fromEntries(pagesIn('benchmarks/pages').map((path) => [path, path.replace('/pages/', '/')])),
}

/** Paths of the Markdown files directly in a folder. */
export function pagesIn(folder: string): string[] {
  if (!existsSync(join(ROOT, folder))) return []
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `${folder}/${name}`)
}

/** The place of a page on the site. @param path from the root of the repository */
export function placeOf(path: string): string {
  return OTHER_PAGES[path] ?? path.replace(/^docs\//, '')
}

/** Patterns of the Markdown files that are no pages. */
export function notPages(): string[] {
  const others = readdirSync(ROOT, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return ['docs', 'benchmarks'].includes(entry.name) ? [] : [`${entry.name}/**`]
    return entry.name.endsWith('.md') && OTHER_PAGES[entry.name] === undefined ? [entry.name] : []
  })
  return [...others, 'benchmarks/!(pages|README.md)/**']
}

/** True if a file of the repository is a page of the site. */
export function isPage(path: string): boolean {
  return path.endsWith('.md') && (path.startsWith('docs/') || OTHER_PAGES[path] !== undefined)
}
