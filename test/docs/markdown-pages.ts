import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import MarkdownIt from 'markdown-it'
import type Token from 'markdown-it/lib/token.mjs'
import { OTHER_PAGES, ROOT } from '../../docs/.vitepress/site-pages.js'

export { ROOT }

const parser = new MarkdownIt({ html: true })

/** Paths of all pages of `docs`, relative to the root; the site's own folder contains none. */
export function pagesOfDocs(): string[] {
  return readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.md') && !path.startsWith('.vitepress/'))
    .map((path) => `docs/${path}`)
    .sort()
}

/** Every page that people read. */
export function allPages(): string[] {
  return [...Object.keys(OTHER_PAGES), ...pagesOfDocs()]
}

/** The tokens of a page; tokens inside a paragraph or heading follow their container. */
export function tokensOf(path: string): Token[] {
  return parser.parse(readFileSync(join(ROOT, path), 'utf8'), {}).flatMap((token) => [token, ...(token.children ?? [])])
}

/** A fenced block of code. */
export interface CodeBlock {
  readonly page: string
  /** The first line of its code, from 1. */
  readonly line: number
  readonly language: string
  /** The text after the language, such as `fragment`. */
  readonly marks: readonly string[]
  readonly code: string
}

export function blocksOf(path: string): CodeBlock[] {
  return tokensOf(path)
    .filter(({ type }) => type === 'fence')
    .map(({ info, map, content }) => {
      const [language = '', ...marks] = info.trim().split(/\s+/)
      return { page: path, line: (map?.[0] ?? 0) + 2, language, marks, code: content }
    })
}
