import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** What a program tells next. @throws Error where it ends before */
export async function messageOf(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${child.spawnargs.join(' ')} ended with ${String(code)}`)
  })
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [unknown]
  return message
}
