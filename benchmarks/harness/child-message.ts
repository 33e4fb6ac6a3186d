import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/**
 * Waits for the next message of a child process.
 * @throws Error if the process ends first
 */
export async function messageOf(child: ChildProcess): Promise<unknown> {
  const abort = new AbortController()
  const { signal } = abort
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(
      `${child.spawnargs.find((argument) => /\.m?[jt]s$/.test(argument)) ?? 'a program'} ended with ${String(code)}`,
    )
  })
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), ended])) as [unknown]
    return message
  } finally {
    // Removes the listener of the event that did not come.
    abort.abort()
  }
}
