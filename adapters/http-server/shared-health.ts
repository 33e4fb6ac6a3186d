import type { Health } from '../../src/index.js'

/** A result is taken as it is for so long. */
const FRESH_MS = 1_000
/** A result up to this old answers while a check takes longer than {@link PATIENCE_MS}. */
const STALE_MS = 3_000
const PATIENCE_MS = 30

/**
 * Shares checks of an engine's health among requests, so that a flood of them costs nothing: one check runs
 * at a time, and its result answers for a second, or for three while the next check is slow.
 */
export function shareHealth(check: () => Promise<Health>): () => Promise<Health> {
  let last: { readonly health: Health; readonly at: number } | undefined
  let running: Promise<Health> | undefined
  const begin = async (): Promise<Health> => {
    try {
      const health = await check()
      last = { health, at: performance.now() }
      return health
    } finally {
      running = undefined
    }
  }
  return async () => {
    const known = last
    const ageMs = known === undefined ? Number.POSITIVE_INFINITY : performance.now() - known.at
    if (known !== undefined && ageMs < FRESH_MS) return known.health
    running ??= begin()
    if (known === undefined || ageMs > STALE_MS) return await running
    return await within(running, known.health)
  }
}

async function within(running: Promise<Health>, known: Health): Promise<Health> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<Health>((resolve) => {
    timer = setTimeout(() => resolve(known), PATIENCE_MS)
  })
  try {
    return await Promise.race([running, late])
  } finally {
    clearTimeout(timer)
  }
}
