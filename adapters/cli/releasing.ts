/** What a shell says of a command that a signal has ended: 128 and the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const

type Signal = keyof typeof EXIT_CODES

/**
 * Hears of the first SIGINT or SIGTERM. The next one finds no listener and so ends
 * the process at once, even while it waits for a system call that does not return.
 *
 * @returns a function that stops listening
 */
export function onInterrupt(listener: (signal: Signal) => void): () => void {
  const stop = (): void => {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
  function interrupt(signal: NodeJS.Signals): void {
    stop()
    listener(signal as Signal)
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  return stop
}

/**
 * Does work, then releases what it used; also when the user interrupts, which ends the process.
 * A second signal does not wait any longer.
 *
 * @param release called once
 * @param interrupted called before that, where the user interrupts
 */
export async function releasing<T>(
  work: () => Promise<T>,
  release: () => Promise<void>,
  interrupted?: () => void,
): Promise<T> {
  let released: Promise<void> | undefined
  let ending: Promise<void> | undefined
  const stopListening = onInterrupt((signal) => {
    interrupted?.()
    released ??= release()
    ending = released.finally(() => process.exit(EXIT_CODES[signal]))
  })
  try {
    return await work()
  } finally {
    released ??= release()
    await released
    // What the work says of its interruption is no news: the process ends instead.
    await ending
    stopListening()
  }
}
