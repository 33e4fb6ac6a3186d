import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build } from 'esbuild'

/**
 * A program of this folder as plain JavaScript, while it is worked with: what translates TypeScript as it is loaded takes
 * 80 MB of the memory of its process.
 *
 * @param work is told where it is: in this folder too, as it finds others from there
 */
export async function withPlainProgram<T>(name: string, work: (path: string) => Promise<T>): Promise<T> {
  const path = join(import.meta.dirname, `.${basename(name, '.ts')}-${process.pid}.mjs`)
  try {
    await build({
      entryPoints: [join(import.meta.dirname, name)],
      outfile: path,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      packages: 'external',
      external: [join(import.meta.dirname, '../dist/*')],
      logLevel: 'warning',
    })
    return await work(path)
  } finally {
    await rm(path, { force: true })
  }
}
