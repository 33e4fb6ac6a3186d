import type { DestinationRecord, Repositories } from '../../ports/index.js'
import { NotFoundError } from '../../shared/errors.js'
import { covers, type Reach } from '../../tenancy-authorization/index.js'

/** @throws NotFoundError alike for what is missing and what belongs to a company out of reach */
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

/** Changes a destination that is within reach. @returns it as it is then @throws NotFoundError */
export async function changeDestination(
  repositories: Repositories,
  reach: Reach,
  id: number,
  changes: Parameters<Repositories['destinations']['update']>[1],
): Promise<DestinationRecord> {
  const destination = await findDestination(repositories, reach, id)
  await repositories.destinations.update(id, changes)
  return { ...destination, ...changes }
}
