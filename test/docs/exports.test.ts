import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import * as alcove from '../../src/index.js'
import { allPages, ROOT } from './markdown-pages.js'

it('pages name every function, class and constant that hosts can import from alcove', () => {
  const pages = allPages()
    .filter((page) => page !== 'CHANGELOG.md')
    .map((page) => readFileSync(join(ROOT, page), 'utf8'))
  const words = new Set(pages.flatMap((page) => page.match(/\b\w+\b/g) ?? []))
  expect(Object.keys(alcove).length).toBeGreaterThan(100)
  expect(Object.keys(alcove).filter((name) => !words.has(name))).toEqual([])
})
