/**
 * Makes the types of `dist`: one file for each entry, and files that entries share. A reader of types sees what a host
 * can import, and no module of the inside.
 */
import { join } from 'node:path'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

/**
 * @param {string} dist
 * @param {string} declarations where the compiler has put one declaration file for each module
 * @param {readonly string[]} entries the files of `dist` that hosts import, relative to `dist`
 */
export async function bundleTypes(dist, declarations, entries) {
  const names = entries.map((entry) => entry.replace(/\.js$/, ''))
  const types = await rollup({
    input: Object.fromEntries(names.map((name) => [name, join(declarations, `${name}.d.ts`)])),
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    plugins: [dts()],
  })
  await types.write({
    dir: dist,
    format: 'es',
    minifyInternalExports: false,
    entryFileNames: '[name].d.ts',
    chunkFileNames: ({ name }) => `types/${name.replace(/\.d$/, '')}.d.ts`,
  })
  await types.close()
}
