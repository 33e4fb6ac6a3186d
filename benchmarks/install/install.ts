/**
 * P10: the installation of an application that depends on the package, from a lock file. The figures are its time, its
 * size on the disk, and the modules that `import 'alcove'` loads, beside the imports of other libraries. `npm ci`
 * installs if the lock is complete, otherwise `npm install` with that lock. `npm ci` refuses a lock without the
 * optional packages of other systems, and a registry may lack these. One installation fills npm's cache first, so the
 * network is not measured. Install scripts are off, because their work depends on the machine.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filesOf } from '../harness/files-of.js'
import { figureOf, hundredths, inTurn, mediansOf, type Spread, spreadOf } from '../harness/measure.js'
import { packageOf } from '../harness/peers.js'
import { fail, writeReport } from '../harness/report.js'

const isQuick = process.argv.includes('--quick')
const [INSTALLS, IMPORTS] = isQuick ? [0, 1] : [5, 15]
const ROOT = join(import.meta.dirname, '../..')
/** The packages that the core may load: itself, and zod. */
const OF_THE_CORE = /^(alcove|zod)$/
/** The engine, the library that makes up most of the core's modules, and an empty module. */
const FROM_ROOT = ['alcove', 'alcove/local', 'alcove/http', 'zod', 'data:text/javascript,']
const PEERS = ['@langchain/textsplitters', '@llamaindex/core/node-parser', '@mastra/rag', '@chonkiejs/core']

/** Imports a module from the current folder. With a file name, writes a list of all loaded modules to it. */
const IMPORT = `
import { appendFileSync } from 'node:fs'
import module, { register } from 'node:module'
const [specifier, file] = process.argv.slice(1)
const list = (url) => appendFileSync(file, url + '\\n')
if (file !== undefined) {
  const hooks = "import { appendFileSync } from 'node:fs'; export async function load(url, context, next) {" +
    "appendFileSync(" + JSON.stringify(file) + ", url + '\\\\n'); return await next(url, context) }"
  register('data:text/javascript,' + encodeURIComponent(hooks))
}
const began = performance.now()
await import(specifier)
console.log(performance.now() - began)
// Hooks do not see modules that were loaded with require().
if (file !== undefined) for (const path of Object.keys(module._cache)) list('file://' + path)
`

const folder = mkdtempSync(join(tmpdir(), 'alcove-install-'))
const { imports, foreign, install } = await measured().finally(() => rmSync(folder, { recursive: true }))

console.table(imports.map((row) => mediansOf({ ...row })))
if (install) console.table([mediansOf(install)])
if (foreign.length > 0) fail(`import 'alcove' loads ${foreign.join(', ')}`)
if (!isQuick) writeReport('install', { imports, 'packages of adapters that the core loads': foreign.length, install })

async function measured() {
  const peers = PEERS.filter((specifier) => existsSync(join(import.meta.dirname, 'node_modules', packageOf(specifier))))
  const imports = await imported([
    ...FROM_ROOT.map((specifier) => ({ specifier, from: ROOT })),
    ...peers.map((specifier) => ({ specifier, from: join(import.meta.dirname, '..') })),
  ])
  const foreign = Object.keys(modulesOf('alcove', ROOT)).filter((name) => !OF_THE_CORE.test(name))
  return { imports, foreign, install: INSTALLS > 0 ? await installed() : undefined }
}

interface Imported {
  readonly specifier: string
  readonly importMs: Spread
  readonly modules: number
  readonly packages: number
}

/** A module, and the folder that has it installed. */
interface Importable {
  readonly specifier: string
  readonly from: string
}

async function imported(importables: readonly Importable[]): Promise<readonly Imported[]> {
  const times = await inTurn(
    IMPORTS,
    importables.map(({ specifier, from }) => ({ name: specifier, run: () => Number(runImport(specifier, from)) })),
  )
  return importables.map(({ specifier, from }) => {
    const modules = modulesOf(specifier, from)
    return {
      specifier,
      importMs: figureOf(times, specifier),
      modules: Object.values(modules).reduce((sum, count) => sum + count, 0),
      packages: Object.keys(modules).length,
    }
  })
}

/** The number of loaded modules of each package. */
function modulesOf(specifier: string, from: string): Readonly<Record<string, number>> {
  const list = join(folder, `${encodeURIComponent(specifier)}.txt`)
  runImport(specifier, from, list)
  const counts: Record<string, number> = {}
  for (const url of new Set(readFileSync(list, 'utf8').trim().split('\n'))) {
    if (!url.startsWith('file:')) continue
    const [, inPackage] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? []
    const name = inPackage ?? 'alcove'
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

function runImport(specifier: string, from: string, list?: string): string {
  const args = ['--input-type=module', '-e', IMPORT, '--', specifier, ...(list === undefined ? [] : [list])]
  return execFileSync(process.execPath, args, { cwd: from, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

async function installed() {
  const options = { encoding: 'utf8', shell: process.platform === 'win32' } as const
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { ...options, cwd: ROOT })
  const tarball = packed.trim().split('\n').at(-1) ?? ''
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const { overrides } = JSON.parse(/```json\n(.*?)```/s.exec(readme)?.[1] ?? '{}') as { readonly overrides?: object }
  const application = { name: 'host', private: true, dependencies: { alcove: `file:${tarball}` }, overrides }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(application))
  const npm = (...args: readonly string[]): void => {
    execFileSync('npm', [...args, '--no-audit', '--no-fund'], { ...options, cwd: folder, stdio: 'ignore' })
  }
  npm('install', '--package-lock-only')
  const isComplete = locksEverything(() => npm('ci', '--ignore-scripts'))
  // If `npm ci` failed, nothing has filled the cache yet.
  if (!isComplete) npm('install', '--ignore-scripts')
  const seconds = Array.from({ length: INSTALLS }, () => {
    rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
    const began = performance.now()
    npm(isComplete ? 'ci' : 'install', '--ignore-scripts')
    return (performance.now() - began) / 1_000
  })
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { readonly packages: object }
  const sizes = new Map<string, number>()
  for (const { path, bytes } of await filesOf(join(folder, 'node_modules'))) {
    const name = packageOf(path)
    sizes.set(name, (sizes.get(name) ?? 0) + bytes)
  }
  const megabytes = (bytes: number): number => hundredths(bytes / 1e6)
  const largest = [...sizes].sort(([, one], [, other]) => other - one).slice(0, 6)
  return {
    command: isComplete ? 'npm ci' : 'npm install, with a lock',
    installSeconds: spreadOf(seconds),
    packages: Object.keys(lock.packages).length - 1,
    diskMb: megabytes([...sizes.values()].reduce((sum, bytes) => sum + bytes, 0)),
    tarballMb: megabytes((await stat(join(folder, tarball))).size),
    ...Object.fromEntries(largest.map(([name, bytes]) => [`${name} MB`, megabytes(bytes)])),
  }
}

/** True if `npm ci` accepts the lock. */
function locksEverything(install: () => void): boolean {
  try {
    install()
    return true
  } catch {
    return false
  }
}
