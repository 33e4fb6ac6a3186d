import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

export const BINARY: string = join(import.meta.dirname, '../../../dist/adapters/cli/bin.js')

export interface Outcome {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** A command that starts the program, with its arguments. */
  readonly startedBy?: readonly string[]
}

export interface Running {
  readonly child: ChildProcess
  readonly outcome: Promise<Outcome>
  /** The output so far. */
  readonly stdout: () => string
  readonly stderr: () => string
}

/** Runs the command line in a process of its own. */
export async function runAlcove(args: readonly string[], options: RunOptions): Promise<Outcome> {
  return await startAlcove(args, options).outcome
}

/** Like {@link runAlcove}, but returns the process while it runs. */
export function startAlcove(args: readonly string[], options: RunOptions): Running {
  const [program = process.execPath, ...rest] = [...(options.startedBy ?? []), process.execPath, BINARY, ...args]
  const child = spawn(program, rest, {
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
  const outcome = new Promise<Outcome>((resolve) => {
    child.on('close', (exitCode) => {
      resolve({ exitCode, stdout, stderr })
    })
  })
  return { child, outcome, stdout: () => stdout, stderr: () => stderr }
}
