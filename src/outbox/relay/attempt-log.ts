import { pause } from '../../kernel/abort.js'
import { StorageError, StorageFullError } from '../../kernel/errors.js'
import type { DeliveryRecord, Repositories, SendableDelivery } from '../../ports/index.js'
import type { Settlement } from './settle-attempt.js'

/** An attempt that is about to be made. */
interface Beginning extends Pick<SendableDelivery, 'delivery' | 'destination'> {
  readonly at: string
}

/** One that has been made. */
interface Ending {
  readonly attemptId: number
  readonly delivery: DeliveryRecord
  readonly settled: Settlement
  readonly responseBody: string | null
  readonly durationMs: number
  readonly at: string
}

/**
 * Notes that attempts begin, for work that is written together; one that a crash left begun is `interrupted`.
 * @returns their ids; `undefined` for one whose destination is not what it was
 */
export async function beginAttempts(
  { deliveries }: Repositories,
  beginnings: readonly Beginning[],
): Promise<readonly (number | undefined)[]> {
  const crashed = beginnings
    .filter(({ delivery }) => delivery.status === 'delivering')
    .map(({ delivery }) => delivery.id)
  if (crashed.length > 0) await deliveries.interruptAttempts(crashed)
  const ids = await deliveries.insertAttempts(
    beginnings.map(({ delivery, destination, at }) => ({ deliveryId: delivery.id, started: at, destination })),
  )
  await deliveries.updateAll(
    beginnings
      .filter(({ delivery }) => ids.has(delivery.id))
      .map(({ delivery, at }) => ({ ...delivery, status: 'delivering', updated: at })),
  )
  return beginnings.map(({ delivery }) => ids.get(delivery.id))
}

/** Records what came of attempts, for work that is written together. */
export async function endAttempts(
  { deliveries }: Repositories,
  endings: readonly Ending[],
): Promise<readonly undefined[]> {
  await deliveries.endAttempts(
    endings.map(({ attemptId, settled: { outcome, httpStatus, error }, responseBody, durationMs }) => {
      return { id: attemptId, outcome, httpStatus, error, responseBody, durationMs }
    }),
  )
  await deliveries.updateAll(
    endings.map(({ delivery: { id, attemptCount }, settled: { status, httpStatus, error }, at }) => {
      return { id, status, httpStatus, attemptCount: attemptCount + 1, error, updated: at }
    }),
  )
  return endings.map(() => undefined)
}

/** Less than a lease: after that, the delivery may be another relay's, and is sent again. */
const PATIENCE_MS = 8_000
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [50, 1_000]

/**
 * Writes what has happened already, and tries again while the database is away for a moment: what cannot be
 * recorded must be sent once more.
 *
 * @throws StorageError where it stays away; whatever else the work throws, at once
 */
export async function patiently<T>(write: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const began = performance.now()
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await write()
    } catch (error) {
      const isAway = (error instanceof StorageError && error.isTransient) || error instanceof StorageFullError
      if (!isAway || signal.aborted || performance.now() - began > PATIENCE_MS) throw error
      await pause(pauseMs)
    }
  }
}
