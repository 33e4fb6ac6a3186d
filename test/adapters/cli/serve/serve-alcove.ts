import { expect, vi } from 'vitest'
import { type RunOptions, startAlcove } from '../run-alcove.js'

/** `alcove serve` in a process of its own. */
export interface Served {
  /** An address such as `http://127.0.0.1:43210`; empty if it does not listen. */
  readonly address: string
  readonly pid: number
  readonly stdout: () => string
  readonly stderr: () => string
  /** @returns its exit code; null if a signal ended it */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Runs `alcove serve` on a free port. @returns the server once it is ready */
export async function serveAlcove(args: readonly string[], options: RunOptions): Promise<Served> {
  const { child, stdout, stderr, outcome } = startAlcove(['serve', '--port', '0', ...args], options)
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    child.kill(signal)
    return (await outcome).exitCode
  }
  try {
    await vi.waitFor(() => expect(stdout()).toContain('\n'), { timeout: 20_000, interval: 50 })
  } catch (error) {
    await stop('SIGKILL')
    throw error
  }
  const address = /http:\/\/[\d.:]+/.exec(stdout())?.[0] ?? ''
  return { address, pid: child.pid ?? 0, stdout, stderr, stop }
}
