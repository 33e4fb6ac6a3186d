/** The exit code that shells give a command ended by a signal: 128 plus the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const

type Signal = keyof typeof EXIT_CODES

/**
 * Listens for the first SIGINT or SIGTERM. The second one finds no listener and so ends
 * the process at once, even while the process waits for a system call that does not return.
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
 * Runs work, then releases its resources. If the user interrupts, it releases them and ends the process.
 * A second signal ends the process at once.
 *
 * @param release called once
 * @param onFirstSignal called, and awaited, before `release` if the user interrupts
 */
export async function releasing<T>(
  work: () => Promise<T>,
  release: () => Promise<void>,
  onFirstSignal?: () => void | Promise<void>,
): Promise<T> {
  let released: Promise<void> | undefined
  let ending: Promise<void> | undefined
  const stopListening = onInterrupt((signal) => {
    const noticed = onFirstSignal?.()
    released ??= noticed === undefined ? release() : noticed.then(release)
    ending = released.finally(() => process.exit(EXIT_CODES[signal]))
  })
  try {
    return await work()
  } finally {
    released ??= release()
    await released
    // After an interruption the process exits here, before the work's own error is reported.
    await ending
    stopListening()
  }
}
