/**
 * `npm run dev`: the console, the API and the workers on sample data, from `dist`. After a change of a source it builds
 * again and restarts the server. `--maps` builds source maps for debuggers; other options go to `alcove serve`.
 * `ALCOVE_DATA_DIR` names another data folder.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { watch } from 'chokidar'

/** Programs write a file in several steps. */
const QUIET_MS = 300

const root = join(import.meta.dirname, '..')
const dataDir = process.env['ALCOVE_DATA_DIR'] ?? join(root, 'alcove-data/dev')
const keyFile = `${dataDir}.api-key.txt`
const program = join(root, 'dist/adapters/cli/bin.js')
const alcove = (...args) =>
  execFileSync(process.execPath, [program, '--data-dir', dataDir, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })

const given = process.argv.slice(2)
/** A build with maps replaces one without, and the other way round. */
const maps = given.filter((argument) => argument === '--maps')

let server
let isStopping = false

build()
if (!existsSync(dataDir)) makeSampleData()
console.log(readFileSync(keyFile, 'utf8'))
start()

let timer
const watcher = watch(
  ['src', 'adapters'].map((name) => join(root, name)),
  {
    ignoreInitial: true,
    // The build writes it.
    ignored: join(root, 'adapters/client/generated'),
  },
).on('all', () => {
  clearTimeout(timer)
  timer = setTimeout(restart, QUIET_MS)
})

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    isStopping = true
    void watcher.close()
    clearTimeout(timer)
    server?.kill('SIGTERM')
  })
}

/** @returns false if the sources do not build: the server before goes on */
function build() {
  try {
    execFileSync(process.execPath, [join(root, 'scripts/build.js'), ...maps], { stdio: 'inherit' })
    return true
  } catch {
    return false
  }
}

function makeSampleData() {
  writeFileSync(keyFile, alcove('init', '--owner-email', 'dev@example.com'), { mode: 0o600 })
  alcove('context', 'create', 'Handbook')
  alcove('sync', '--context', 'Handbook', join(root, 'examples/documents'))
}

function start() {
  const args = [
    program,
    '--data-dir',
    dataDir,
    'serve',
    '--log-level',
    'warn',
    ...given.filter((argument) => argument !== '--maps'),
  ]
  server = spawn(process.execPath, args, { stdio: 'inherit' })
}

function restart() {
  if (!build() || isStopping) return
  // A server that has ended by itself starts again too.
  if (server.exitCode !== null) start()
  else {
    // A change while the server ends leads to one start, not two.
    server.removeAllListeners('exit').once('exit', () => isStopping || start())
    server.kill('SIGTERM')
  }
}
