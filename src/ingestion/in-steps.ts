import type { JobRun } from '../jobs/index.js'
import type { Repositories } from '../ports/index.js'

/** Does a job in steps, each a transaction of its own, until one says that it was the last. */
export async function inSteps(
  run: JobRun,
  step: (repositories: Repositories) => Promise<'done' | 'more'>,
): Promise<void> {
  do run.signal.throwIfAborted()
  while ((await run.transaction(step, { isProgress: true })) === 'more')
}
