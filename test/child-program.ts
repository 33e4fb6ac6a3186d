import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

const ROOT = join(import.meta.dirname, '..')
const DIST = join(ROOT, 'dist') + sep
/** Packages resolve from here on as they do for the tests. */
const PROGRAMS = join(ROOT, 'node_modules/.cache/alcove-tests')

/** The shipped files stay in place, and so do the files that a program of tests reads beside itself. */
export const inPlace: Plugin = {
  name: 'in-place',
  setup: (bundle) => {
    bundle.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      const file = resolve(resolveDir, path)
      return file.startsWith(DIST) ? { path: pathToFileURL(file).href, external: true } : undefined
    })
    bundle.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      return { contents: text.replaceAll('import.meta.dirname', JSON.stringify(dirname(path))), loader: 'ts' }
    })
  },
}

const programs = new Map<string, Promise<string>>()

/**
 * A program of the tests in one JavaScript file: it starts in half the time of a TypeScript loader.
 * @param script path of its TypeScript
 * @returns path of the file
 */
export async function childProgram(script: string): Promise<string> {
  const made = programs.get(script) ?? makeProgram(script)
  programs.set(script, made)
  return await made
}

/** Starts a program of the tests as a process that exchanges messages with this one. */
export async function forkProgram(
  script: string,
  args: readonly string[],
  options: ForkOptions = {},
): Promise<ChildProcess> {
  return fork(await childProgram(script), args, { execArgv: [], ...options })
}

async function makeProgram(script: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [script],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    plugins: [inPlace],
  })
  const text = outputFiles[0]?.text ?? ''
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const file = join(PROGRAMS, `${basename(script, '.ts')}-${digest}.mjs`)
  await mkdir(PROGRAMS, { recursive: true })
  // Other processes may create the same file.
  const unfinished = `${file}.${randomUUID()}`
  await writeFile(unfinished, text)
  await rename(unfinished, file)
  return file
}
