/**
 * Bundles the modules of `dist`, so that a host starts fast: hundreds of small files cost hundreds of milliseconds. Each
 * module of the engine becomes one file with its parts. Modules that start threads or processes, or read files beside
 * them, stay as the compiler made them. Libraries of many files become one file each in `dist/vendor`, with licences.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { build } from 'esbuild'
import * as zod from 'zod'

const root = join(import.meta.dirname, '..')

/** Drivers that the engine never uses. knex requires one only when a host selects it. */
const OTHER_DATABASES = [
  'better-sqlite3',
  'mariadb',
  'mariadb/*',
  'mysql',
  'mysql2',
  'oracledb',
  'pg-native',
  'pg-query-stream',
  'tedious',
]

/** The exports of each library of `vendor`, and the packages that it requires only on demand. */
const LIBRARIES = {
  zod: { code: zodOf },
  inversify: { code: "import 'reflect-metadata'\nexport { Container } from 'inversify'" },
  jose: { code: "export * from 'jose'" },
  knex: {
    code: "export { default } from 'knex'",
    external: ['sqlite3', 'pg', ...OTHER_DATABASES],
  },
}
/** The only modules of the core that adapters and hosts import. */
const CORE_ENTRIES = ['index.js', 'ports/index.js', 'webhooks/index.js']

const COMMON = { bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'warning' }
/** Libraries that are no ES modules ask for others by `require`. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

/** @param {string} dist where the compiler has put its output */
export async function bundle(dist) {
  const vendor = join(dist, 'vendor')
  const licences = new Set()
  for (const [name, { code, external = [] }] of Object.entries(LIBRARIES)) {
    const { metafile } = await build({
      ...COMMON,
      stdin: { contents: typeof code === 'function' ? code(dist) : code, resolveDir: root },
      outfile: join(vendor, `${name}.js`),
      external,
      minifyWhitespace: true,
      banner: { js: REQUIRE },
      metafile: true,
    })
    for (const input of Object.keys(metafile.inputs)) licences.add(packageOf(input))
  }
  const packages = [...licences].filter((name) => name !== undefined).sort()
  writeFileSync(join(vendor, 'LICENSES.txt'), packages.map(licenceOf).join('\n'))
  for (const file of modulesIn(dist)) useVendor(file, vendor)

  await bundleModule(join(dist, 'src'), CORE_ENTRIES)
  for (const name of readdirSync(join(dist, 'adapters'))) {
    const folder = join(dist, 'adapters', name)
    if (!modulesIn(folder).some((file) => readFileSync(file, 'utf8').includes('import.meta'))) {
      await bundleModule(folder, ['index.js'])
    }
  }
}

/**
 * Bundles the files of a folder into a few. Imports from other folders stay. Each former file becomes a stub that
 * re-exports its names from the bundle, for tests.
 */
async function bundleModule(folder, entries) {
  const files = modulesIn(folder)
  const options = { ...COMMON, outdir: folder, outbase: folder, splitting: true, packages: 'external', write: false }
  const names = await exportsOf(files, { ...options, plugins: [outsideStays(folder)] })
  const made = await build({
    ...options,
    entryPoints: [...entries.map((entry) => join(folder, entry)), join(folder, EVERYTHING)],
    chunkNames: 'parts/[name]-[hash]',
    sourcemap: true,
    plugins: [outsideStays(folder), withEverything(folder, names)],
  })
  for (const file of files) for (const path of [file, `${file}.map`]) rmSync(path, { force: true })
  for (const [index, file] of files.entries()) {
    const renamed = names.get(file).map((name) => `m${index}_${name} as ${name}`)
    writeFileSync(file, `export { ${renamed.join(', ')} } from '${pathFrom(file, join(folder, EVERYTHING))}';\n`)
  }
  for (const { path, contents, text } of made.outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(
      path,
      path.endsWith('.js') ? text.replaceAll(OUTSIDE, (_, target) => `"${pathFrom(path, target)}"`) : contents,
    )
  }
}

/** The exports of modules, re-exports included. */
async function exportsOf(files, options) {
  const { metafile } = await build({ ...options, entryPoints: files, metafile: true })
  return new Map(
    files.map((file) => [file, metafile.outputs[relative(process.cwd(), file).replaceAll(sep, '/')].exports]),
  )
}

const EVERYTHING = 'parts/everything.js'

/** A module that exports what all others do, with their numbers before the names. */
const withEverything = (folder, names) => ({
  name: 'with-everything',
  setup({ onResolve, onLoad }) {
    const path = join(folder, EVERYTHING)
    onResolve({ filter: /everything\.js$/ }, (asked) => (asked.path === path ? { path } : undefined))
    onLoad({ filter: /everything\.js$/ }, (asked) => {
      if (asked.path !== path) return undefined
      const exported = [...names].map(([file, some], index) => {
        const renamed = some.map((name) => `${name} as m${index}_${name}`)
        return `export { ${renamed.join(', ')} } from '${pathFrom(join(folder, 'x'), file)}'`
      })
      return { contents: exported.join('\n'), resolveDir: folder }
    })
  },
})

/** Marks an import that stays. Its final path depends on the output file. */
const OUTSIDE = /"outside:([^"]+)"/g

/** Relative imports of what is not in the folder. */
const outsideStays = (folder) => ({
  name: 'outside-stays',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir, kind }) => {
      const target = join(resolveDir, path)
      if (kind === 'entry-point' || target.startsWith(folder + sep)) return undefined
      return { path: `outside:${target.replaceAll(sep, '/')}`, external: true }
    })
  },
})

/** As much of zod as is used, under the one name by which it is used: all of it takes 20 ms more to load. */
function zodOf(dist) {
  const used = new Set()
  for (const file of modulesIn(dist)) {
    const code = readFileSync(file, 'utf8')
    if (!code.includes("from 'zod'")) continue
    for (const [, name] of code.matchAll(/\bz\s*\.\s*(\w+)/g)) if (name in zod) used.add(name)
  }
  const names = [...used].sort()
  const imported = names.map((name) => `${name} as _${name}`).join(', ')
  const members = names.map((name) => `${name}: _${name}`).join(', ')
  return `import { ${imported} } from 'zod'\nexport const z = { ${members} }\n`
}

/** Imports a library from `vendor`. */
function useVendor(file, vendor) {
  const code = readFileSync(file, 'utf8')
  const imports = new RegExp(`(from|import) '(${Object.keys(LIBRARIES).join('|')})'`, 'g')
  const changed = code
    .replaceAll("import 'reflect-metadata';\n", '\n')
    .replaceAll(imports, (_, word, name) => `${word} '${pathFrom(file, join(vendor, `${name}.js`))}'`)
  if (changed !== code) writeFileSync(file, changed)
}

function pathFrom(file, target) {
  const path = relative(dirname(file), target).replaceAll(sep, '/')
  return path.startsWith('.') ? path : `./${path}`
}

/** Without maps, which are not read at a start. */
function modulesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && file.name.endsWith('.js'))
    .map((file) => join(file.parentPath, file.name))
}

/** The folder of the package that a file belongs to. One library may be there in two versions. */
function packageOf(input) {
  return /.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0]
}

function licenceOf(path) {
  const folder = join(root, path)
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = readdirSync(folder).filter((one) => /^(licen[cs]e|notice|copyright)/i.test(one))
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim())
  return `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`
}
