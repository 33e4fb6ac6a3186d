/**
 * Builds `dist`: the code and its types in few files, the character maps that PDFs in Asian scripts need and the pages
 * of the API and of the console. Also makes the types of the REST API for its client. A build of the same sources is kept.
 * `--maps` adds source maps, for debuggers; a package has none.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { buildConsole } from './build-console.js'
import { bundle } from './bundle.js'
import { bundleTypes } from './bundle-types.js'
import { generateApiTypes } from './generate-api-types.js'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
/** Made of the built server, so it is no source. */
const apiTypes = join(root, 'adapters/client/generated/api.ts')
const stamp = join(root, 'node_modules/.cache/alcove-build')
const SOURCES = [
  'src',
  'adapters',
  'test/conformance',
  'scripts/build.js',
  'scripts/bundle.js',
  'scripts/bundle-types.js',
  'scripts/build-console.js',
  'scripts/generate-api-types.js',
  'tsconfig.base.json',
  'tsconfig.build.json',
]
const LIBRARIES = ['package.json', 'node_modules/.package-lock.json']
const withMaps = process.argv.includes('--maps')

const sources = digest([...SOURCES, ...LIBRARIES], (file) => readFileSync(file)) + (withMaps ? ' with maps' : '')
if (existsSync(stamp) && readFileSync(stamp, 'utf8') === `${sources} ${built()}`) {
  console.log('dist is built already')
} else {
  rmSync(stamp, { force: true })
  await build()
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, `${sources} ${built()}`)
}

async function build() {
  const require = createRequire(import.meta.url)
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc')
  const swagger = dirname(require.resolve('swagger-ui-dist/package.json'))
  const pdfjs = dirname(require.resolve('pdfjs-dist/package.json'))
  rmSync(dist, { recursive: true, force: true })
  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const entries = Object.values(exports).flatMap((entry) => entry.default ?? [])
  await bundle(dist, [...entries, ...Object.values(bin)].map(inDist), withMaps)
  await generateApiTypes(dist, apiTypes)
  // Outside of node_modules, where types count as those of a library.
  const declarations = join(dist, 'declarations')
  const options = ['-p', join(root, 'tsconfig.build.json'), '--outDir', declarations]
  execFileSync(process.execPath, [compiler, ...options], { stdio: 'inherit' })
  await bundleTypes(dist, declarations, entries.map(inDist))
  rmSync(declarations, { recursive: true })
  cpSync(join(pdfjs, 'cmaps'), join(dist, 'adapters/text-extraction/cmaps'), { recursive: true })
  await buildConsole(root, join(dist, 'adapters/console/app'))
  const assets = join(dist, 'adapters/http-server/assets')
  for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE', 'NOTICE']) {
    cpSync(join(swagger, name), join(assets, name.includes('.') ? name : `swagger-ui.${name}`))
  }
  chmodSync(join(dist, 'adapters/cli/bin.js'), 0o755)
}

function inDist(path) {
  return path.replace('./dist/', '')
}

/** The built files with their times: a file that was changed by hand causes a new build. */
function built() {
  const timeOf = (file) => String(statSync(file, { throwIfNoEntry: false })?.mtimeMs)
  return digest(['dist'], timeOf) + timeOf(apiTypes)
}

function digest(places, contentOf) {
  const hash = createHash('sha256')
  for (const place of places) {
    for (const file of filesIn(join(root, place)).filter((one) => one !== apiTypes))
      hash.update(file).update('\0').update(contentOf(file)).update('\0')
  }
  return hash.digest('hex')
}

function filesIn(path) {
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesIn(join(path, name)))
}
