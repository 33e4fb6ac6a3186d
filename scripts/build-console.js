/**
 * Builds the page of the console with Vite. The names of its scripts and styles change with their content. A manifest
 * lists them, each has a compressed twin, and the licences of the libraries are beside them.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import optimizeLocales from '@react-aria/optimize-locales-plugin'
import { build } from 'vite'

/** The largest size of all files together, compressed. */
const MAX_GZIP_BYTES = 250_000

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
  let bytes = 0
  const assets = join(outDir, 'assets')
  for (const name of readdirSync(assets)) {
    const gzip = gzipSync(readFileSync(join(assets, name)), { level: 9 })
    writeFileSync(join(assets, `${name}.gz`), gzip)
    bytes += gzip.byteLength
  }
  if (bytes > MAX_GZIP_BYTES)
    throw new Error(`the console has ${bytes} bytes compressed, and ${MAX_GZIP_BYTES} are the limit`)
  return bytes
}
