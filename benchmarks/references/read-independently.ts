import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const PROGRAM = join(import.meta.dirname, 'independent-reading.py')
const MAX_BYTES = 256 * 1024 * 1024

/** The rows of a table as Python reads them; `undefined` without python3, or where it cannot. */
export function readRows(path: string): string[][] | undefined {
  const printed = run('csv', path)
  return printed === undefined ? undefined : (JSON.parse(printed) as string[][])
}

/** A text as Python decodes it; `undefined` without python3, or where it does not know the encoding. */
export function readDecoded(path: string, encoding: string): string | undefined {
  return run('text', path, encoding)
}

function run(...options: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('python3', [PROGRAM, ...options], { encoding: 'utf8', maxBuffer: MAX_BYTES })
  return status === 0 ? stdout : undefined
}
