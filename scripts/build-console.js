/**
 * Builds the page of the console with Vite. The names of its scripts and styles change with their content. A manifest
 * lists them, each has a compressed twin, and the licences of the libraries are beside them.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import optimizeLocales from '@react-aria/optimize-locales-plugin'
import { build } from 'vite'

/** The most bytes that a browser loads to show a page, compressed. */
const MAX_PAGE_BYTES = 250_000
/** The most bytes of all files in the package, compressed twins included. */
const MAX_PACKAGE_BYTES = 2_000_000

/** @param {string} root folder of the project @param {string} outDir where the page is written */
export async function buildConsole(root, outDir) {
  await build({
    configFile: false,
    root: join(root, 'adapters/console/app'),
    // Relative addresses: the host chooses the path of the console.
    base: './',
    publicDir: false,
    logLevel: 'error',
    // The libraries' own texts are there only in the languages of the console.
    plugins: [{ ...optimizeLocales.vite({ locales: ['en-US', 'de-DE'] }), enforce: 'pre' }],
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      manifest: 'manifest.json',
      license: { fileName: 'LICENSES.md' },
      // An image in a style would be a URL with data, which the policy allows only for images of the page.
      assetsInlineLimit: 0,
      rolldownOptions: { input: join(root, 'adapters/console/app/main.tsx') },
    },
  })
  const sizes = new Map()
  const assets = join(outDir, 'assets')
  for (const name of readdirSync(assets)) {
    const gzip = gzipSync(readFileSync(join(assets, name)), { level: 9 })
    writeFileSync(join(assets, `${name}.gz`), gzip)
    sizes.set(`assets/${name}`, gzip.byteLength)
  }
  const manifest = JSON.parse(readFileSync(join(outDir, 'manifest.json'), 'utf8'))
  const main = Object.keys(manifest).find((entry) => manifest[entry].isEntry)
  const largest = Math.max(...pagesFrom(manifest, main).map((files) => total([...files], sizes)))
  if (largest > MAX_PAGE_BYTES)
    throw new Error(`a page of the console has ${largest} bytes compressed, and ${MAX_PAGE_BYTES} are the limit`)
  const packageBytes = bytesIn(outDir)
  if (packageBytes > MAX_PACKAGE_BYTES)
    throw new Error(`the console has ${packageBytes} bytes, and ${MAX_PACKAGE_BYTES} are the limit`)
  return { allBytes: total([...sizes.keys()], sizes), largestPageBytes: largest, packageBytes }
}

/**
 * The files of each page: those of the pages around it, those of its module, and then, page by page, those of the modules
 * that it loads later. So a page in a section has the files of the section too.
 */
function pagesFrom(manifest, entry, loaded = new Set()) {
  const files = filesOf(manifest, entry, new Set(loaded))
  // The modules of the pages around it have their later ones elsewhere.
  const nested = Object.values(manifest)
    .filter(({ file }) => files.has(file) && !loaded.has(file))
    .flatMap(({ dynamicImports = [] }) => dynamicImports)
    .filter((module) => !files.has(manifest[module].file))
  return [files, ...nested.flatMap((module) => pagesFrom(manifest, module, files))]
}

/** The files that a module needs: its own, its styles, and those of its imports. */
function filesOf(manifest, entry, found = new Set()) {
  const { file, css = [], imports = [] } = manifest[entry]
  if (found.has(file)) return found
  for (const name of [file, ...css]) found.add(name)
  for (const name of imports) filesOf(manifest, name, found)
  return found
}

function total(files, sizes) {
  return files.reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0)
}

function bytesIn(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}
