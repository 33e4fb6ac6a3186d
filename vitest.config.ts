import { join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defineConfig, type Plugin, type ViteUserConfig } from 'vitest/config'

const ROOT = import.meta.dirname

/**
 * Tests run on the sources. A source that starts a program or finds files beside it has a file at the same place in
 * `dist`: it starts the programs of `dist`.
 */
export const programsOfDist: Plugin = {
  name: 'programs-of-dist',
  enforce: 'pre',
  transform(code, id) {
    const path = relative(ROOT, id)
    if (!path.startsWith(`adapters${sep}`) || !code.includes('import.meta.url')) return null
    const built = pathToFileURL(join(ROOT, 'dist', path.replace(/\.ts$/, '.js')))
    return { code: code.replaceAll('import.meta.url', JSON.stringify(built.href)), map: null }
  },
}

const config: ViteUserConfig = defineConfig({
  plugins: [programsOfDist],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/shared/**'],
    globalSetup: ['test/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Files run one after the other in the same processes: to load the engine takes a second each time.
    isolate: false,
    execArgv: ['--expose-gc'],
    // Models and databases are heavy, but many tests wait for something: three processes are enough for any machine.
    maxWorkers: 3,
    server: { deps: { external: [/\/dist\//] } },
  },
})

export default config
