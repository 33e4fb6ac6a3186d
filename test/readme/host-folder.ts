import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '../temporary-folder.js'

/** Runs a program. @throws Error with its output, if its exit code is not 0 */
export const run: typeof execFile.__promisify__ = promisify(execFile)
export const ROOT: string = join(import.meta.dirname, '../..')
export const EXAMPLES: string = join(ROOT, 'examples/documents')
/** The program that runs a file of TypeScript. */
export const TSX: string = join(ROOT, 'node_modules/tsx/dist/cli.mjs')

/** The code blocks of a page in a language. */
export function blocks(language: string, page: string): string[] {
  return [...page.matchAll(/^```(\w+)\n(.*?)^```/gms)]
    .filter(([, found]) => found === language)
    .map(([, , code]) => code ?? '')
}

/** A page of the documentation. */
export async function pageOf(path: string): Promise<string> {
  return await readFile(join(ROOT, 'docs', path), 'utf8')
}

/** The folder of a host that has installed the package. */
export interface HostFolder {
  readonly path: string
  /** The environment of a shell that finds `alcove`. */
  readonly env: NodeJS.ProcessEnv
  remove(): Promise<void>
}

export async function hostFolder(): Promise<HostFolder> {
  const { path, remove } = await temporaryFolder()
  const programs = join(path, 'node_modules/.bin')
  await mkdir(programs, { recursive: true })
  await symlink(ROOT, join(path, 'node_modules/alcove'), 'dir')
  for (const name of ['@types', '@hono', 'express', 'fastify', 'hono', 'knex']) {
    await symlink(join(ROOT, 'node_modules', name), join(path, 'node_modules', name), 'dir')
  }
  const alcove = join(programs, 'alcove')
  await writeFile(alcove, `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'dist/adapters/cli/bin.js')}" "$@"\n`)
  await chmod(alcove, 0o755)
  await cp(join(EXAMPLES, 'leave-policy.pdf'), join(path, 'handbook.pdf'))
  return { path, remove, env: { ...process.env, PATH: `${programs}:${process.env['PATH'] ?? ''}` } }
}
