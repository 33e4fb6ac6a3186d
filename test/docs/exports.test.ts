import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as alcove from '../../src/index.js'
import { optionsOfPackage } from './interface-members.js'
import { allPages, ROOT } from './markdown-pages.js'

/** The words of all pages for the users of this version. */
const WORDS = new Set(
  allPages()
    .filter((page) => page !== 'CHANGELOG.md')
    .flatMap((page) => readFileSync(join(ROOT, page), 'utf8').match(/\b\w+\b/g) ?? []),
)

/** Options of types that classes of adapters have among their own parts. */
const OF_PARTS = ['EmbedOptions.isUrgent', 'InputOptions.isUrgent', 'InputOptions.firstRow']

describe('the pages', () => {
  it('name every function, class and constant that hosts can import from alcove', () => {
    expect(Object.keys(alcove).length).toBeGreaterThan(100)
    expect(Object.keys(alcove).filter((name) => !WORDS.has(name))).toEqual([])
  })

  it('name every option that hosts can give', () => {
    const options = optionsOfPackage().filter((option) => !OF_PARTS.includes(option))
    expect(options.length).toBeGreaterThan(100)
    expect(options.filter((option) => !WORDS.has(option.split('.')[1] ?? ''))).toEqual([])
  })
})
