import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** What a program tells next. @throws Error where it ends before */
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
    // Whichever did not come is not listened for any more.
    abort.abort()
  }
}
