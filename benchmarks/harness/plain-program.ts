import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build } from 'esbuild'

/**
 * Compiles a program of this folder to plain JavaScript for the time of some work. A loader that compiles TypeScript
 * takes 80 MB of the memory of its process.
 *
 * @param work gets the path of the file, which is in this folder too: its imports are relative
 */
export async function withPlainProgram<T>(name: string, work: (path: string) => Promise<T>): Promise<T> {
  const path = join(import.meta.dirname, `.${basename(name, '.ts')}-${process.pid}.mjs`)
  try {
    await build({
      entryPoints: [join(import.meta.dirname, '..', name)],
      outfile: path,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      packages: 'external',
      external: [join(import.meta.dirname, '../../dist/*')],
      logLevel: 'warning',
    })
    return await work(path)
  } finally {
    await rm(path, { force: true })
  }
}
