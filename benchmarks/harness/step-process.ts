import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Steps of a benchmark, each with its input and its figures. */
type StepsOf<Steps> = { readonly [Name in keyof Steps]: (task: never) => Promise<unknown> }

/** Runs work with a temporary folder. */
export async function inFolder(work: (folder: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-search-'))
  try {
    work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Runs each step of a benchmark in a process of its own, because memory is counted and freed by process.
 * @param program gets the name of a step and its task as JSON, and prints its figures as JSON
 */
export function stepRunner<Steps extends StepsOf<Steps>>(program: string) {
  return <Name extends keyof Steps & string>(
    step: Name,
    task: Parameters<Steps[Name]>[0],
  ): Awaited<ReturnType<Steps[Name]>> => {
    const command = ['--import', 'tsx', join(import.meta.dirname, '..', program), step, JSON.stringify(task)]
    const { status, stdout } = spawnSync(process.execPath, command, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 64 * 2 ** 20,
    })
    if (status !== 0) throw new Error(`${step} ended with ${String(status)}: ${JSON.stringify(task)}`)
    return JSON.parse(stdout) as Awaited<ReturnType<Steps[Name]>>
  }
}
