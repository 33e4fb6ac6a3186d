import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GENERATED_PAGES } from '../../scripts/reference/pages.js'
import { codesInSources, literalsInSources } from '../../scripts/reference/source-codes.js'
import { DEFAULT_LIMITS, ERROR_REASON_CODES } from '../../src/index.js'
import { membersOf } from './interface-members.js'
import { ROOT } from './markdown-pages.js'

function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8')
}

describe('the generated reference', () => {
  it.each(Object.keys(GENERATED_PAGES))('%s equals the output of the program', (page) => {
    const isCurrent = textOf(page) === GENERATED_PAGES[page]?.()
    expect(isCurrent, `${page} is out of date: run "npm run generate:reference" and commit what it writes`).toBe(true)
  })

  it('contains every error code that the sources name, and no other', () => {
    const described = new Set(textOf('docs/reference/errors.md').match(/\bERR_[A-Z0-9_]+\b/g))
    const named = codesInSources()
    expect([...named].filter((code) => !described.has(code))).toEqual([])
    expect([...described].filter((code) => !named.has(code))).toEqual([])
  })

  it('has a row for each reason, and the sources give each', () => {
    const [, section = ''] = textOf('docs/reference/errors.md').split('\n## Reasons\n')
    const rows = [...section.matchAll(/^\| `([a-z-]+)` /gm)].map(([, code]) => code)
    expect(rows).toEqual(ERROR_REASON_CODES)
    const given = literalsInSources()
    // The check of an address puts its codes together.
    const isPutTogether = (code: string): boolean => /^(address|name)-(malformed|of-|denied|not-public)/.test(code)
    expect(ERROR_REASON_CODES.filter((code) => !given.has(code) && !isPutTogether(code))).toEqual([
      // A host gives it.
      'refused-by-host',
    ])
  })
})

describe('the page of the configuration', () => {
  const page = textOf('docs/reference/configuration.md')

  it.each(['LocalEngineOptions', 'HttpHandlerOptions', 'ServeHttpOptions', 'ContextSettings', 'EngineLimits'])(
    'names every option of %s',
    (name) => {
      const members = membersOf(name)
      expect(members.length).toBeGreaterThan(0)
      expect(members.filter((member) => !page.includes(`\`${member}\``))).toEqual([])
    },
  )

  it('states the default of each limit', () => {
    const rows = page.replaceAll(/ +/g, ' ')
    const limits = Object.entries<number>({ ...DEFAULT_LIMITS })
    expect(limits.filter(([name, value]) => !rows.includes(`| \`${name}\` | ${value.toLocaleString('en')} |`))).toEqual(
      [],
    )
  })
})
