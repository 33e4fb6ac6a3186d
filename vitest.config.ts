import { join, normalize, relative, sep } from 'node:path'
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

/** Files that take longest, or that wait for leases and timeouts, by their path below `test`. The longest come first. */
const LONG_FILES = [
  'scaling/processes',
  'crash/reindex-processes',
  'crash/lancedb',
  'crash/reindex',
  'crash/replace',
  'adapters/console/documents',
  'readme/bundlers',
  'adapters/text-extraction/text-streaming',
  'adapters/cli/reindex',
  'adapters/openai/remote-documents',
  'crash/replace-processes',
  'adapters/cli/evaluate',
  'readme/pages',
  'readme/deployments',
  'tenants/soak',
  'adapters/text-extraction/hostile/hostile-host',
  'adapters/console/shell',
  'adapters/console/webhooks',
  'adapters/lancedb/lancedb-maintenance',
  'adapters/local/migration/migration',
  'ingestion/full-disk/full-disk',
  'adapters/lancedb/search/lancedb-search',
  'adapters/words/sqlite/sqlite-words',
  'adapters/words/postgres/pg-words',
  'adapters/cli/serve/search-flood',
  'ingestion/faults',
  'ingestion/disks/disks',
  'ingestion/soak/soak',
  'adapters/http-server/node/slow-clients',
  'src/outbox/relay',
  'src/outbox/soak',
  'src/doctor/doctor',
  'adapters/cli/cli',
  'adapters/defaults',
  'src/documents/early-words',
  'src/outbox/deliveries',
  'adapters/text-extraction/processes/extraction-process',
  'src/doctor/doctor-live',
  'crash/ingestion',
  'adapters/cli/serve/serve',
  'adapters/s3/s3',
].map((name) => join(ROOT, 'test', `${name}.test.ts`))

/** Begins with long files, so that all processes end at about the same time. A clean clone has no earlier durations. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONG_FILES.indexOf(normalize(moduleId))
      return at === -1 ? LONG_FILES.length : at
    }
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other))
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
