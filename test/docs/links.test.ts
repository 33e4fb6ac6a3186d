import { existsSync, statSync } from 'node:fs'
import { join, normalize } from 'node:path'
import GithubSlugger from 'github-slugger'
import { describe, expect, it } from 'vitest'
import { allPages, ROOT, tokensOf } from './markdown-pages.js'

/** The targets of a page's links, in Markdown and in HTML within it. */
function linksOf(path: string): string[] {
  return tokensOf(path).flatMap((token) => {
    if (token.type === 'link_open') return [token.attrGet('href') ?? '']
    if (token.type === 'image') return [token.attrGet('src') ?? '']
    if (!token.type.startsWith('html_')) return []
    return [...token.content.matchAll(/\b(?:href|src)="([^"]*)"/g)].map(([, target = '']) => target)
  })
}

const anchors = new Map<string, ReadonlySet<string>>()

/** The anchors of a page: those that GitHub derives from its headings, and those of its HTML. */
function anchorsOf(path: string): ReadonlySet<string> {
  const known = anchors.get(path)
  if (known !== undefined) return known
  const slugger = new GithubSlugger()
  const tokens = tokensOf(path)
  const ofHeadings = tokens.flatMap((token, index) => {
    if (token.type !== 'heading_open') return []
    const parts = tokens[index + 1]?.children ?? []
    return [slugger.slug(parts.map(({ type, content }) => (type.startsWith('html_') ? '' : content)).join(''))]
  })
  const ofHtml = tokens
    .filter(({ type }) => type.startsWith('html_'))
    .flatMap(({ content }) => [...content.matchAll(/\b(?:id|name)="([^"]*)"/g)].map(([, id = '']) => id))
  const all = new Set([...ofHeadings, ...ofHtml])
  anchors.set(path, all)
  return all
}

/** Returns the error of a link, or `undefined` if its target exists or is outside the repository. */
function problemOf(page: string, link: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(link)) return undefined
  if (link.startsWith('/')) return `${link} is not relative`
  const [target = '', anchor] = decodeURI(link).split('#')
  const path = target === '' ? page : normalize(join(page, '..', target)).replaceAll('\\', '/')
  if (path.startsWith('..') || !existsSync(join(ROOT, path))) return `${link} leads to no file`
  if (anchor === undefined) return undefined
  if (!path.endsWith('.md') || statSync(join(ROOT, path)).isDirectory()) return `${link} leads to no page with headings`
  return anchorsOf(path).has(anchor) ? undefined : `${link} leads to no heading of ${path}`
}

describe('the links', () => {
  it.each(allPages())('of %s lead to files and headings that exist', (page) => {
    const problems = linksOf(page).map((link) => problemOf(page, link))
    expect(problems.filter((problem) => problem !== undefined)).toEqual([])
  })
})
