import { existsSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { defineConfig, type Plugin, type ViteUserConfig } from 'vitest/config'

const ROOT = import.meta.dirname

/** Tests are written against the sources, and run against what ships: `src/index.ts` is `dist/src/index.js` to them. */
export const shippedCode: Plugin = {
  name: 'shipped-code',
  enforce: 'pre',
  resolveId(specifier, importer) {
    if (importer === undefined || !specifier.startsWith('.')) return null
    const path = relative(ROOT, resolve(importer, '..', specifier))
    if (!path.startsWith(`src${sep}`) && !path.startsWith(`adapters${sep}`)) return null
    const built = join(ROOT, 'dist', path)
    if (!existsSync(built)) throw new Error(`${path} is not built: run "npm run build" first`)
    return { id: built, external: true }
  },
}

const config: ViteUserConfig = defineConfig({
  plugins: [shippedCode],
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
