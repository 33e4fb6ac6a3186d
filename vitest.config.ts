import { join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defineConfig, type Plugin, type ViteUserConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

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

/**
 * Begins with long files, so that all processes end at about the same time. `*.long.test.ts` are the files that kill
 * processes, wait for leases or timeouts, flood, install or browse for long; `npm test` leaves them out.
 */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Vitest puts files first that took longest in an earlier run, or else the largest.
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith('.long.test.ts')
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

const config: ViteUserConfig = defineConfig({
  plugins: [programsOfDist],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/shared/**'],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/kept-model.ts', 'test/fixed-seed.ts'],
    // A test that hangs fails, and one on a machine that is busy with other work passes.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    // Files run one after the other in the same processes: to load the engine takes a second each time.
    isolate: false,
    execArgv: ['--expose-gc'],
    // Models and databases are heavy, but many tests wait for something: three processes are enough for any machine. Four
    // take 7% less time on two cores, and each test takes a quarter more.
    maxWorkers: 3,
    sequence: { sequencer: LongFilesFirst },
    server: { deps: { external: [/\/dist\//] } },
  },
})

export default config
