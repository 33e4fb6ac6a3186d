/** What a shell says of a command that a signal has ended: 128 and the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Does work, then releases what it used; also when the user interrupts, which ends the process.
 * A second signal does not wait any longer.
 *
 * @param release called once
 */
export async function releasing<T>(work: () => Promise<T>, release: () => Promise<void>): Promise<T> {
  let released: Promise<void> | undefined
  let ending: Promise<void> | undefined
  const interrupt = (signal: keyof typeof EXIT_CODES): void => {
    released ??= release()
    ending ??= released.finally(() => process.exit(EXIT_CODES[signal]))
  }
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  try {
    return await work()
  } finally {
    released ??= release()
    await released
    // What the work says of its interruption is no news: the process ends instead.
    await ending
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
}
