/**
 * Links of pages, as they work in the repository, made to work on the site.
 *
 * A link to a page leads to its place on the site. A link to another file of the repository leads to a copy of it. A
 * link to a folder becomes plain text. A link to nothing stays as it is, and fails the build.
 */
import { cpSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, extname, join, relative, resolve, sep } from 'node:path'
import type { MarkdownEnv, MarkdownRenderer } from 'vitepress'
import { isPage, placeOf, ROOT } from './site-pages.js'

/** Files that the browser shows as text only if their name ends with `.txt`. */
const SOURCES: ReadonlySet<string> = new Set(['', '.ts', '.js', '.mjs', '.cjs', '.md', '.yml'])
const COPIES = join(import.meta.dirname, 'public/files')

type Token = ReturnType<MarkdownRenderer['parse']>[number]

export function repositoryLinks(renderer: MarkdownRenderer): void {
  renderer.core.ruler.push('repository-links', ({ tokens, env }) => {
    const { realPath, path } = env as MarkdownEnv
    for (const { children } of tokens) retarget(children ?? [], realPath ?? path)
  })
}

function retarget(tokens: readonly Token[], page: string): void {
  let isText = false
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const target = targetOf(token.attrGet('href') ?? '', page)
      isText = target === undefined
      if (target !== undefined) token.attrSet('href', target)
      if (target?.startsWith('/files/') === true) token.attrSet('target', '_blank')
    }
    if (isText && token.type.startsWith('link_')) {
      Object.assign(token, { type: token.type === 'link_open' ? 'em_open' : 'em_close', tag: 'span', attrs: null })
    }
  }
}

/** The target of a link on the site; `undefined` for a folder. */
function targetOf(link: string, page: string): string | undefined {
  if (/^([a-z][a-z0-9+.-]*:|\/|#)/i.test(link)) return link
  const [name = '', anchor] = decodeURI(link).split('#')
  const target = resolve(dirname(page), name)
  const path = relative(ROOT, target).split(sep).join('/')
  if (!existsSync(target) || path.startsWith('..')) return missing(link, page)
  if (statSync(target).isDirectory()) return targetOfFolder(path)
  return isPage(path) ? `/${placeOf(path)}${anchor === undefined ? '' : `#${anchor}`}` : copyOf(path)
}

function targetOfFolder(path: string): string | undefined {
  return isPage(`${path}/README.md`) ? `/${placeOf(`${path}/README.md`)}` : undefined
}

/** VitePress finds dead links to pages, and tells of all of them. */
function missing(link: string, page: string): string {
  if (/\.md(#|$)/.test(link)) return link
  throw new Error(`${relative(ROOT, page)}: the link ${link} leads to nothing`)
}

function copyOf(path: string): string {
  const name = SOURCES.has(extname(path)) ? `${path}.txt` : path
  mkdirSync(dirname(join(COPIES, name)), { recursive: true })
  cpSync(join(ROOT, path), join(COPIES, name))
  return `/files/${name}`
}
