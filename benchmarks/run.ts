/** Runs one benchmark, or all: `npm run bench`, `npm run bench retrieval-quality`, `… -- --quick` for a smoke test. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const BENCHMARKS = ['retrieval-quality', 'extraction', 'documents', 'tenancy', 'events', 'search', 'growth']

const [name, ...options] = process.argv.slice(2).sort((one) => (one.startsWith('--') ? 1 : -1))
const isNamed = name !== undefined && !name.startsWith('--')
const chosen = isNamed ? [name] : BENCHMARKS
const flags = isNamed ? options : [name, ...options].filter((flag) => flag !== undefined)
for (const benchmark of chosen) {
  if (!BENCHMARKS.includes(benchmark)) {
    console.error(`there is no benchmark ${benchmark}: choose one of ${BENCHMARKS.join(', ')}`)
    process.exit(2)
  }
  console.log(`\n${benchmark}`)
  const program = join(import.meta.dirname, `${benchmark}.ts`)
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', program, ...flags], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
