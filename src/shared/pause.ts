import { untilAborted } from './until-aborted.js'

/**
 * Waits so long, or until something has woken it.
 * @throws the reason of a signal, at once when it is aborted
 */
export async function pause(ms: number, until?: Promise<unknown> | AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  try {
    if (until instanceof AbortSignal) await untilAborted(waited, until)
    else await Promise.race(until === undefined ? [waited] : [waited, until])
  } finally {
    clearTimeout(timer)
  }
}
