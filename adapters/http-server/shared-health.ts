import type { Health } from '../../src/index.js'

/** A result up to this old answers without a new check. */
const FRESH_MS = 1_000
/** A result up to this old answers while a new check takes longer than {@link MAX_WAIT_MS}. */
const STALE_MS = 3_000
const MAX_WAIT_MS = 30

/**
 * Shares checks of an engine's health among requests, so that a flood of requests costs nothing. One check runs at a
 * time. Its result answers for one second, or for three seconds while the next check is slow.
 */
export function shareHealth(check: () => Promise<Health>): () => Promise<Health> {
  let last: { readonly health: Health; readonly at: number } | undefined
  let running: Promise<Health> | undefined
  const runCheck = async (): Promise<Health> => {
    try {
      const health = await check()
      last = { health, at: performance.now() }
      return health
    } finally {
      running = undefined
    }
  }
  return async () => {
    const previous = last
    const ageMs = previous === undefined ? Number.POSITIVE_INFINITY : performance.now() - previous.at
    if (previous !== undefined && ageMs < FRESH_MS) return previous.health
    running ??= runCheck()
    if (previous === undefined || ageMs > STALE_MS) return await running
    return await waitBriefly(running, previous.health)
  }
}

async function waitBriefly(running: Promise<Health>, fallback: Health): Promise<Health> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<Health>((resolve) => {
    timer = setTimeout(() => resolve(fallback), MAX_WAIT_MS)
  })
  try {
    return await Promise.race([running, timeout])
  } finally {
    clearTimeout(timer)
  }
}
