import type { DeliveryRecord, Repositories, SendableDelivery } from '../../ports/index.js'
import type { Settlement } from './settle-attempt.js'

interface StartedAttempt extends Pick<SendableDelivery, 'delivery' | 'destination'> {
  /** ISO 8601. */
  readonly startedAt: string
}

interface FinishedAttempt {
  readonly attemptId: number
  readonly delivery: DeliveryRecord
  readonly settlement: Settlement
  readonly responseBody: string | null
  readonly durationMs: number
  /** ISO 8601. */
  readonly finishedAt: string
}

/**
 * Records the start of a batch of attempts. An earlier attempt of the same delivery that a crash left unfinished becomes
 * `interrupted`.
 *
 * @returns the ids of the attempts; `undefined` for a delivery whose destination has changed since it was read
 */
export async function startAttempts(
  { deliveries }: Repositories,
  attempts: readonly StartedAttempt[],
): Promise<readonly (number | undefined)[]> {
  const crashed = attempts.filter(({ delivery }) => delivery.status === 'delivering').map(({ delivery }) => delivery.id)
  if (crashed.length > 0) await deliveries.interruptAttempts(crashed)
  const ids = await deliveries.insertAttempts(
    attempts.map(({ delivery, destination, startedAt }) => {
      return { deliveryId: delivery.id, started: startedAt, destination }
    }),
  )
  await deliveries.updateAll(
    attempts
      .filter(({ delivery }) => ids.has(delivery.id))
      .map(({ delivery, startedAt }) => ({ ...delivery, status: 'delivering', updated: startedAt })),
  )
  return attempts.map(({ delivery }) => ids.get(delivery.id))
}

/** Records the outcomes of a batch of attempts. */
export async function finishAttempts(
  { deliveries }: Repositories,
  attempts: readonly FinishedAttempt[],
): Promise<readonly undefined[]> {
  await deliveries.endAttempts(
    attempts.map(({ attemptId, settlement: { outcome, httpStatus, error }, responseBody, durationMs }) => {
      return { id: attemptId, outcome, httpStatus, error, responseBody, durationMs }
    }),
  )
  await deliveries.updateAll(
    attempts.map(({ delivery: { id, attemptCount }, settlement: { status, httpStatus, error }, finishedAt }) => {
      return { id, status, httpStatus, attemptCount: attemptCount + 1, error, updated: finishedAt }
    }),
  )
  return attempts.map(() => undefined)
}
