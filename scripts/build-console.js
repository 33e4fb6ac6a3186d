/**
 * Builds the page of the console with Vite. The names of its scripts and styles change with their content. A manifest
 * lists them, each has a compressed twin, and the licences of the libraries are beside them.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import optimizeLocales from '@react-aria/optimize-locales-plugin'
import { build } from 'vite'

/** The most bytes that a browser loads to show a page, compressed. */
const MAX_PAGE_BYTES = 250_000

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
  const pages = Object.keys(manifest).map((entry) => {
    return total([...filesOf(manifest, entry, filesOf(manifest, main))], sizes)
  })
  const largest = Math.max(...pages)
  if (largest > MAX_PAGE_BYTES)
    throw new Error(`a page of the console has ${largest} bytes compressed, and ${MAX_PAGE_BYTES} are the limit`)
  return { allBytes: total([...sizes.keys()], sizes), largestPageBytes: largest }
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
