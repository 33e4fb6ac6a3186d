import type { DeliveryRecord, Repositories, SendableDelivery } from '../../ports/index.js'
import type { Settlement } from './settle-attempt.js'

/** An attempt that is about to be made. */
export interface Beginning extends Pick<SendableDelivery, 'delivery' | 'destination'> {
  readonly at: string
}

/** One that has been made. */
export interface Ending {
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
