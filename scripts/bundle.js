/**
 * Makes the modules of `dist` with esbuild. A host starts fast only if it reads few files: hundreds of small ones cost
 * hundreds of milliseconds. `src` and each adapter become a few files each. A module that starts a program or finds
 * files beside it stays a file at its place. Libraries of many files become one file each in `dist/vendor`, with
 * licences.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { build, transformSync } from 'esbuild'
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

/**
 * The libraries of `vendor`, by the names under which the sources import them: the name of the file, its exports and the
 * packages that it requires only on demand. `required`: the library is CommonJS in a second file, and these of its
 * exports are used.
 */
const LIBRARIES = {
  zod: { file: 'zod.js', code: zodOf },
  inversify: { file: 'inversify.js', code: () => "import 'reflect-metadata'\nexport { Container } from 'inversify'" },
  jose: { file: 'jose.js', code: () => "export * from 'jose'" },
  // Their packages would bring megabytes that nothing reads.
  'lru-cache': { file: 'lru-cache.js', code: () => "export { LRUCache } from 'lru-cache'" },
  'p-limit': { file: 'p-limit.js', code: () => "export { default } from 'p-limit'" },
  'csv-parse': { file: 'csv-parse.js', code: () => "export { CsvError, parse } from 'csv-parse'" },
  'csv-parse/sync': { file: 'csv-parse-sync.js', code: () => "export { CsvError, parse } from 'csv-parse/sync'" },
  'postal-mime': { file: 'postal-mime.js', code: () => "export { decodeWords, default } from 'postal-mime'" },
  'rtf-stream-parser': {
    file: 'rtf-stream-parser.js',
    code: () => "export { deEncapsulateSync, Tokenize } from 'rtf-stream-parser'",
  },
  '@kenjiuno/msgreader': {
    file: 'msgreader.js',
    code: () => "import reader from '@kenjiuno/msgreader'\nexport default { default: reader }",
    // Its texts need nothing that the version of the package does not have.
    external: ['iconv-lite'],
  },
  '@kenjiuno/decompressrtf': {
    file: 'decompressrtf.js',
    code: () => "export { decompressRTF } from '@kenjiuno/decompressrtf'",
  },
  franc: { file: 'franc.js', code: () => "export { francAll } from 'franc'" },
  jschardet: { file: 'jschardet.js', code: () => "export { detect, detectAll } from 'jschardet'" },
  '@huggingface/tokenizers': {
    file: 'tokenizers.js',
    code: () => "export { Tokenizer } from '@huggingface/tokenizers'",
  },
  'tar-stream': { file: 'tar-stream.js', code: () => "export { extract, pack } from 'tar-stream'" },
  knex: {
    file: 'knex.js',
    code: () => "export { default } from 'knex'",
    external: ['sqlite3', 'pg', ...OTHER_DATABASES],
  },
  // LanceDB and the adapter share one Arrow. A module that `require` loads is loaded faster as CommonJS. `import`
  // would block the event loop for 40 ms: it looks for the names of such a module's exports in its text.
  'apache-arrow': {
    file: 'apache-arrow.js',
    code: () => "export * from 'apache-arrow'",
    required: [
      'Field',
      'FixedSizeList',
      'Float32',
      'Int32',
      'Int64',
      'makeData',
      'RecordBatch',
      'Schema',
      'Struct',
      'Table',
    ],
  },
  '@lancedb/lancedb': {
    file: 'lancedb.js',
    code: () => "export { connect, Index, Session } from '@lancedb/lancedb'",
    required: ['connect', 'Index', 'Session'],
    // Its native parts are packages, and it loads the models of others on demand only.
    external: ['@lancedb/lancedb-*', '*.node', 'openai', '@huggingface/transformers'],
  },
}
/** Matches the names of the libraries. */
const LIBRARY = new RegExp(`^(${Object.keys(LIBRARIES).join('|')})$`)

const COMMON = { bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'warning' }
/** Libraries that are no ES modules ask for others by `require`. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

/**
 * @param {string} dist
 * @param {readonly string[]} entries the files of `dist` that hosts import or run, relative to `dist`
 * @param {boolean} withMaps true for source maps beside the files: a debugger then stops in the sources
 */
export async function bundle(dist, entries, withMaps) {
  const sources = ['src', 'adapters', 'test/conformance'].flatMap(sourcesIn)
  const code = new Map(sources.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
  for (const [path, text] of code) requireOnlyUrl(path, text)
  const standing = sources.filter((path) => code.get(path).includes('import.meta'))
  const started = standing.flatMap((path) => programsOf(path, code.get(path)))
  const files = new Set([...entries.map((path) => path.replace(/\.js$/, '.ts')), ...standing, ...started])
  for (const path of sources) if (/^adapters\/[^/]+\/index\.ts$/.test(path)) files.add(path)

  await bundleLibraries(dist, [...code.values()])
  for (const folder of new Set(sources.map(folderOf))) {
    const own = [...files].filter((path) => folderOf(path) === folder)
    await bundleFolder({ dist, folder, withMaps }, own, new Set(standing))
  }
}

/**
 * A shipped module finds files beside it by `import.meta.url` only: the tests replace that with the path in `dist`.
 * @throws Error for a module that uses another way
 */
function requireOnlyUrl(path, text) {
  const [used] = /import\.meta\.(dirname|filename)\b/.exec(text) ?? []
  if (used === undefined) return
  throw new Error(`${path} uses ${used}: use new URL('./FILE', import.meta.url), which also works in the tests`)
}

function sourcesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `${folder}/${path.replaceAll(sep, '/')}`)
    .sort()
}

/**
 * The folder whose modules share files: `src`, an adapter, or the conformance suites. The tools know the inside of
 * `local`, so both share files.
 */
function folderOf(path) {
  const [folder] = /^(src|adapters\/[^/]+|test\/conformance)(?=\/)/.exec(path)
  return folder === 'adapters/tools' ? 'adapters/local' : folder
}

/** The programs that a module starts as processes or threads. */
function programsOf(path, code) {
  return [...code.matchAll(/new URL\('(\.[^']+)\.js', import\.meta\.url\)/g)].map(([, program]) =>
    join(dirname(path), `${program}.ts`).replaceAll(sep, '/'),
  )
}

async function bundleFolder({ dist, folder, withMaps }, entries, standing) {
  const { outputFiles } = await build({
    ...COMMON,
    entryPoints: entries.map((path) => join(root, path)),
    outdir: dist,
    outbase: root,
    splitting: true,
    sourcemap: withMaps,
    packages: 'external',
    write: false,
    chunkNames: `${folder}/parts/[name]-[hash]`,
    plugins: [othersStay(folder, standing)],
  })
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    const code = text.replaceAll(OTHER, (_, target) => `"${pathFrom(path, join(dist, target))}"`)
    writeFileSync(path, code)
  }
}

/** Marks an import that stays. Its final path depends on the output file. */
const OTHER = /"other:([^"]+)"/g

/** Keeps imports of other folders, of modules that stand alone, and of the libraries of `vendor`. */
const othersStay = (folder, standing) => ({
  name: 'others-stay',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir, kind }) => {
      const target = relative(root, join(resolveDir, path)).replaceAll(sep, '/')
      const source = target.replace(/\.js$/, '.ts')
      const isHere = folderOf(source) === folder && !standing.has(source)
      if (kind === 'entry-point') return undefined
      return isHere ? { path: join(root, source) } : { path: `other:${target}`, external: true }
    })
    onResolve({ filter: LIBRARY }, ({ path }) => ({ path: `other:vendor/${LIBRARIES[path].file}`, external: true }))
    // It is part of inversify's file.
    onResolve({ filter: /^reflect-metadata$/ }, () => ({ path: 'other:vendor/inversify.js', external: true }))
  },
})

/** LanceDB uses the file of Arrow. */
const arrowStays = {
  name: 'arrow-stays',
  setup({ onResolve }) {
    onResolve({ filter: /^apache-arrow$/ }, ({ importer }) =>
      importer.includes('@lancedb') ? { path: './apache-arrow.cjs', external: true } : undefined,
    )
  },
}

async function bundleLibraries(dist, sources) {
  const vendor = join(dist, 'vendor')
  const licences = new Set()
  for (const { file, code, required, external = [] } of Object.values(LIBRARIES)) {
    const commonFile = file.replace(/js$/, 'cjs')
    const { metafile } = await build({
      ...COMMON,
      ...(required ? { format: 'cjs', keepNames: true, plugins: [arrowStays] } : { banner: { js: REQUIRE } }),
      stdin: { contents: code(sources), resolveDir: root },
      outfile: join(vendor, required ? commonFile : file),
      external,
      minifyWhitespace: true,
      metafile: true,
    })
    if (required) {
      const names = required.join(', ')
      writeFileSync(join(vendor, file), `${REQUIRE}\nexport const { ${names} } = require('./${commonFile}')\n`)
    }
    for (const input of Object.keys(metafile.inputs)) licences.add(packageOf(input))
  }
  const packages = [...licences].filter((name) => name !== undefined).sort()
  writeFileSync(join(vendor, 'LICENSES.txt'), packages.map(licenceOf).join('\n'))
}

/** As much of zod as is used, under the one name by which it is used: all of it takes 20 ms more to load. */
function zodOf(sources) {
  const used = new Set()
  for (const code of sources) {
    if (!code.includes("from 'zod'")) continue
    // Names in types need no code.
    const run = transformSync(code, { loader: 'ts', tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } } })
    for (const [, name] of run.code.matchAll(/\bz\s*\.\s*(\w+)/g)) if (name in zod) used.add(name)
  }
  const names = [...used].sort()
  // A namespace would bring all of the library with it: half a megabyte that each start reads.
  const whole = names.find((name) => name === 'core' || name === 'locales')
  if (whole !== undefined) throw new Error(`the sources use z.${whole}: use its members by their names`)
  const imported = names.map((name) => `${name} as _${name}`).join(', ')
  const members = names.map((name) => `${name}: _${name}`).join(', ')
  return `import { ${imported} } from 'zod'\nexport const z = { ${members} }\n`
}

function pathFrom(file, target) {
  const path = relative(dirname(file), target).replaceAll(sep, '/')
  return path.startsWith('.') ? path : `./${path}`
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
