import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GAUGES, SPANS } from '../../src/ports/index.js'
import { ROOT } from './markdown-pages.js'

const PAGE = readFileSync(join(ROOT, 'docs/how-to/observability.md'), 'utf8')

/** The rows of the table with this first heading, without code marks: the cells of each row. */
function tableOf(heading: string): string[][] {
  const rows = PAGE.split('\n')
  const start = rows.findIndex((row) => row.startsWith(`| ${heading} `))
  const end = rows.findIndex((row, at) => at > start && !row.startsWith('|'))
  return rows.slice(start + 2, end).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.replaceAll('`', '').trim()),
  )
}

describe('the page of observability', () => {
  it('lists each span, with its labels and attributes, and no other', () => {
    const spans = Object.entries(SPANS).map(([name, { description, labels, attributes }]) => {
      return [name, labels.join(', '), attributes.join(', '), `${description}.`]
    })
    expect(tableOf('span')).toEqual(spans)
  })

  it('lists each gauge, with its unit and labels, and no other', () => {
    const gauges = Object.entries(GAUGES).map(([name, { description, unit, labels }]) => {
      return [name, unit, labels.join(', '), `${description}.`]
    })
    expect(tableOf('gauge')).toEqual(gauges)
  })
})
