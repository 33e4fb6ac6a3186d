import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { inPlace } from '../../test/child-program.js'

/**
 * Compiles a program of the benchmarks to plain JavaScript for the time of some work. A loader that compiles TypeScript
 * takes 80 MB of the memory of its process.
 *
 * @param name the path of the program in `benchmarks`
 * @param work gets the path of the file, which is beside this one: there it finds the packages of benchmarks
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
      plugins: [inPlace],
      logLevel: 'warning',
    })
    return await work(path)
  } finally {
    await rm(path, { force: true })
  }
}
