import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Steps of a benchmark: what each is told, and what it tells. */
type StepsOf<Steps> = { readonly [Name in keyof Steps]: (task: never) => Promise<unknown> }

/** Works with a folder of its own, which is removed afterwards. */
export async function inFolder(work: (folder: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-search-'))
  try {
    work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Runs steps of a benchmark in a process each: memory is counted, and is freed, by process.
 * @param program which is told a step's name and its task as JSON, and prints what it measured as JSON
 */
export function stepRunner<Steps extends StepsOf<Steps>>(program: string) {
  return <Name extends keyof Steps & string>(
    step: Name,
    task: Parameters<Steps[Name]>[0],
  ): Awaited<ReturnType<Steps[Name]>> => {
    const command = ['--import', 'tsx', join(import.meta.dirname, program), step, JSON.stringify(task)]
    const { status, stdout } = spawnSync(process.execPath, command, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 64 * 2 ** 20,
    })
    if (status !== 0) throw new Error(`${step} ended with ${String(status)}: ${JSON.stringify(task)}`)
    return JSON.parse(stdout) as Awaited<ReturnType<Steps[Name]>>
  }
}
