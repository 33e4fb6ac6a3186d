import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Removes what nothing refers to any more, also what promises of the current turn hold. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  await setTimeout(10)
  collect()
  await setTimeout(10)
  collect()
}
