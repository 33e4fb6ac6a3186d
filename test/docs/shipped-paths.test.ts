import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allPages, ROOT } from './markdown-pages.js'

it('each path of dist that a page names exists', () => {
  const paths = allPages().flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8')
    return [...text.matchAll(/(?<![\w/.])dist\/[\w./*-]*[\w/]/g)].map(([path]) => ({ page, path }))
  })
  expect(paths.length).toBeGreaterThan(0)
  // A pattern names a folder.
  const missing = paths.filter(({ path }) => !existsSync(join(ROOT, path.replace(/\/[^/]*\*.*$/, ''))))
  expect(missing).toEqual([])
})
