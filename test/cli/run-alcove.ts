import { spawn } from 'node:child_process'
import { join } from 'node:path'

const BINARY = join(import.meta.dirname, '../../dist/adapters/cli/bin.js')

export interface Outcome {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command line as a process of its own. */
export async function runAlcove(
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Outcome> {
  const child = spawn(process.execPath, [BINARY, ...args], {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (data: Buffer) => {
    stdout += data.toString()
  })
  child.stderr.on('data', (data: Buffer) => {
    stderr += data.toString()
  })
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { exitCode, stdout, stderr }
}
