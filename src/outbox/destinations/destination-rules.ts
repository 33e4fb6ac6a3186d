import { errorReason, InvalidInputError, NotFoundError } from '../../kernel/errors.js'
import type { DestinationRecord, Repositories } from '../../ports/index.js'
import { covers, type Reach } from '../../tenancy/index.js'

/** @throws NotFoundError for a missing destination, and for one of a company out of reach: the errors do not differ */
export async function findDestination(
  repositories: Repositories,
  reach: Reach,
  id: number,
): Promise<DestinationRecord> {
  const destination = await repositories.destinations.get(id)
  if (destination === undefined || !(await covers(reach, repositories, destination.companyId))) {
    throw new NotFoundError('destination', id)
  }
  return destination
}

/** @throws InvalidInputError where a change would give a destination to another company */
export function requireSameCompany(customerId: number | undefined, companyId: number): void {
  if (customerId === undefined || customerId === companyId) return
  throw new InvalidInputError('customerId', `cannot be changed: the destination belongs to the company ${companyId}`)
}

/** @throws InvalidInputError for a disabled destination: its deliveries would be cancelled */
export function requireEnabled({ id, disabledReason }: DestinationRecord): void {
  if (disabledReason === null) return
  throw new InvalidInputError('destination', `the destination ${id} is disabled: enable it first`, {
    reason: errorReason('destination-disabled', { destination: id }),
  })
}
