import { AlcoveApiError, type AlcoveClient, dataOf } from '../../api/api.js'
import { type DeliveryFilter, readDeliveries } from './live-deliveries.js'

const PAGE_SIZE = 500
/** The pause after an answer 429 without `Retry-After`. */
const DEFAULT_PAUSE_SECONDS = 10

/** The statuses of deliveries that a user may want to send again together. */
export const RESENDABLE = ['failed', 'blocked', 'cancelled', 'dead'] as const
export type Resendable = (typeof RESENDABLE)[number]

/**
 * Finds the deliveries that have a status and were not sent again since: a later delivery of the same event to the same
 * destination replaces an earlier one.
 *
 * @param onRead is told how many deliveries were read
 * @returns their ids, the oldest first
 * @throws AlcoveApiError
 */
export async function findUnsent(
  api: AlcoveClient,
  { destinationId, type }: Omit<DeliveryFilter, 'status'>,
  status: Resendable,
  { signal, onRead }: { readonly signal: AbortSignal; readonly onRead: (count: number) => void },
): Promise<readonly number[]> {
  const filter = { ...(destinationId !== undefined && { destinationId }), ...(type !== undefined && { type }) }
  const seen = new Set<string>()
  const ids: number[] = []
  let count = 0
  let cursor: string | undefined
  do {
    const page = await readDeliveries(api, filter, { cursor, limit: PAGE_SIZE, signal })
    for (const delivery of page.items) {
      const key = `${delivery.destinationId} ${delivery.eventId}`
      if (!seen.has(key) && delivery.status === status) ids.push(delivery.id)
      seen.add(key)
    }
    count += page.items.length
    onRead(count)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return ids.reverse()
}

export interface ResendReport {
  readonly sent: number
  /** Numbers of deliveries that could not be sent again, by code and reason of the error, with one such error. */
  readonly refused: ReadonlyMap<string, { readonly count: number; readonly error: AlcoveApiError }>
  /** Seconds until it goes on, because the server allows no more at once. */
  readonly pauseSeconds: number
}

/**
 * Sends deliveries again, one after the other. A refused one is counted and left out; the server's pauses are kept.
 *
 * @throws AlcoveApiError for an error that would hit every other delivery too; what was done is reported before
 */
export async function resendEach(
  api: AlcoveClient,
  ids: readonly number[],
  { signal, onReport }: { readonly signal: AbortSignal; readonly onReport: (report: ResendReport) => void },
): Promise<void> {
  const refused = new Map<string, { readonly count: number; readonly error: AlcoveApiError }>()
  let sent = 0
  const report = (pauseSeconds = 0): void => onReport({ sent, refused: new Map(refused), pauseSeconds })
  for (const id of ids) {
    for (;;) {
      signal.throwIfAborted()
      try {
        const answer = api.POST('/v1/outbound-webhooks/deliveries/{id}/resend', { params: { path: { id } } })
        await dataOf(answer)
        sent += 1
        break
      } catch (error) {
        if (!(error instanceof AlcoveApiError)) throw error
        if (error.status === 429) {
          await pause(error.retryAfterSeconds ?? DEFAULT_PAUSE_SECONDS, signal, report)
          continue
        }
        // The delivery or its destination is gone, or the destination is disabled.
        if (error.status !== 404 && error.status !== 400) throw error
        const key = `${error.code} ${JSON.stringify(error.reason ?? null)}`
        refused.set(key, { count: (refused.get(key)?.count ?? 0) + 1, error })
        break
      }
    }
    report()
  }
}

async function pause(seconds: number, signal: AbortSignal, report: (seconds: number) => void): Promise<void> {
  for (let left = Math.ceil(seconds); left > 0; left -= 1) {
    report(left)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 1_000)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    })
    signal.throwIfAborted()
  }
  report(0)
}
