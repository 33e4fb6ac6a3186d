import pLimit from 'p-limit'
import { vi } from 'vitest'
import { runCli } from '../../../adapters/cli/run-cli.js'
import type { Outcome, RunOptions } from './run-alcove.js'

/** Output streams and working directory belong to the whole process. */
const inTurn = pLimit(1)

/**
 * Runs the command line in this process: output and exit code are the same, and it takes a tenth of the time. It does
 * not suit commands that wait for signals, or that check which process owns a folder. Calls run one after the other.
 */
export async function runAlcoveHere(args: readonly string[], options: RunOptions): Promise<Outcome> {
  return await inTurn(async () => await run(args, options))
}

async function run(args: readonly string[], options: RunOptions): Promise<Outcome> {
  const before = { cwd: process.cwd(), env: process.env, exitCode: process.exitCode }
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)]
  process.chdir(options.cwd)
  process.env = { ...before.env, ...options.env }
  process.exitCode = undefined
  try {
    const exitCode = await runCli(args)
    return { exitCode, stdout: stdout.end(), stderr: stderr.end() }
  } finally {
    stdout.end()
    stderr.end()
    process.env = before.env
    process.exitCode = before.exitCode
    process.chdir(before.cwd)
  }
}

/** Collects the text that a stream receives, and removes the listeners that are added in the meantime. */
function capture(stream: NodeJS.WriteStream): { end(): string } {
  const listeners = new Set(stream.listeners('error'))
  let text = ''
  const write = vi.spyOn(stream, 'write').mockImplementation((data, ...rest: readonly unknown[]) => {
    text += typeof data === 'string' ? data : Buffer.from(data).toString()
    const done = rest.find((one) => typeof one === 'function')
    if (done !== undefined) process.nextTick(done)
    return true
  })
  const end = (): string => {
    write.mockRestore()
    for (const listener of stream.listeners('error')) {
      if (!listeners.has(listener)) stream.off('error', listener as () => void)
    }
    return text
  }
  return { end }
}
