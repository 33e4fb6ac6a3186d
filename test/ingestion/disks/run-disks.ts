import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { childProgram } from '../../child-program.js'
import { UNSHARE } from '../../small-disk.js'
import { temporaryFolder } from '../../temporary-folder.js'

export const DISK_PARTS = ['full', 'read-only', 'root'] as const

/** Runs the parts in a mount namespace. @param rounds 0 for the short form @returns one sentence for each fact that was wrong */
export async function runDisks(
  rounds: number,
  parts: readonly string[],
  stderr: 'inherit' | 'ignore' = 'inherit',
): Promise<readonly string[]> {
  const folder = await temporaryFolder()
  const script = await childProgram(join(import.meta.dirname, 'disks-child.ts'))
  const [command, ...args] = [...UNSHARE, process.execPath, script, folder.path, String(rounds), ...parts]
  const child = spawn(command, args, { stdio: ['ignore', stderr, stderr, 'ipc'] })
  let problems: readonly string[] = ['the program ended without a result']
  child.on('message', (message) => {
    problems = message as readonly string[]
  })
  await once(child, 'exit')
  await folder.remove()
  return problems
}
