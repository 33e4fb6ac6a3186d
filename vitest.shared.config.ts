import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { programsOfDist } from './vitest.config.js'

/** Tests over public documents that are not part of the project; see `test/shared/shared-documents.ts`. */
const config: ViteUserConfig = defineConfig({
  plugins: [programsOfDist],
  test: {
    include: ['test/shared/**/*.test.ts'],
    setupFiles: ['test/kept-model.ts', 'test/fixed-seed.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // As in `vitest.config.ts`.
    isolate: false,
    maxWorkers: 2,
    server: { deps: { external: [/\/dist\//] } },
  },
})

export default config
