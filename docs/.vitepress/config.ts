import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { slug } from 'github-slugger'
import { defineConfig, type UserConfig } from 'vitepress'
import { repositoryLinks } from './repository-links.js'
import { sidebar } from './sidebar.js'
import { notPages, placeOf, ROOT } from './site-pages.js'

interface Package {
  readonly version: string
  readonly repository?: { readonly url: string }
}

const { version, repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Package

const config: UserConfig = defineConfig({
  title: 'Alcove',
  description: 'Search by words and meaning in a Node application: on the device, offline, for many companies.',
  lang: 'en',
  // The README and its neighbours are pages of the site, too.
  srcDir: ROOT,
  srcExclude: notPages(),
  rewrites: placeOf,
  markdown: {
    // Anchors are those that GitHub makes, so that a link leads to its heading in both places.
    anchor: { slugify: slug },
    // Braces are a part of paths such as `/context/{contextId}`.
    attrs: { disable: true },
    config: repositoryLinks,
  },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: sidebar(),
    nav: [
      { text: 'Install', link: '/how-to/install' },
      { text: 'Cookbook', link: '/how-to/cookbook' },
      { text: 'Reference', link: '/reference/configuration' },
      { text: version, link: '/changelog' },
      ...(repository === undefined ? [] : [{ text: 'Repository', link: repository.url.replace(/^git\+|\.git$/g, '') }]),
    ],
    outline: [2, 3],
    externalLinkIcon: true,
  },
  vite: {
    publicDir: join(import.meta.dirname, 'public'),
    // The index of the search is one file.
    build: { chunkSizeWarningLimit: 4_000 },
  },
})

export default config
