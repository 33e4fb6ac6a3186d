import type { Container } from 'inversify'
import { StartCheck, type VerifyOptions, type VerifyReport } from '../doctor/index.js'
import { Administration, type Principal } from '../tenancy/index.js'
import type { WorkSignals } from './session.js'
import {
  type AuditOperations,
  auditOperations,
  type DeliveryOperations,
  type DestinationOperations,
  deliveryOperations,
  destinationOperations,
} from './sessions.js'
import { HOST_REACH } from './tokens.js'

/** The host's own hand: what {@link Administration} is, and destinations and deliveries of all companies. */
export interface HostAdministration extends Pick<Administration, keyof Administration> {
  /** `create` is for the root company unless it says; `list` without a company lists all. */
  readonly destinations: DestinationOperations
  readonly deliveries: DeliveryOperations
  /** The audit trail of all companies. */
  readonly audit: AuditOperations
  /**
   * Compares rows, vectors, words, files and models with each other, while the engine works: reads every file, looks at
   * what seems wrong again before it is told, and yields to what else there is to do. With `repair` it mends what can
   * be mended, as processing documents again from their bytes, waits for that, and looks at it again.
   *
   * @throws UnsupportedError where an engine is to repair that does not process documents
   * @throws ClosedError once the engine is closed; the signal's reason once that is aborted
   */
  verify(options?: VerifyOptions): Promise<VerifyReport>
  /**
   * What the cheap form of {@link verify} has found that runs some time after an engine that processes documents has
   * started: it counts, reads no bytes, no vectors and no words, and mends nothing. At most 1,000 problems. Undefined
   * until it has ended; of engines that share a database one does it for all.
   */
  startCheck(): VerifyReport | undefined
}

export function hostAdministration(
  container: Container,
  owner: Principal,
  signals: WorkSignals,
  verify: HostAdministration['verify'],
): HostAdministration {
  const reach = container.get(HOST_REACH)
  const authorize = async () => {
    return { reach, companyId: owner.companyId, listedCompanyId: undefined }
  }
  const administration = container.get(Administration)
  const { companies, accounts, users } = administration
  return Object.assign(administration, {
    companies: clearing(companies, signals),
    accounts: clearing(accounts, signals),
    users: clearing(users, signals),
    destinations: destinationOperations(container, authorize, signals),
    deliveries: deliveryOperations(container, authorize, signals),
    audit: auditOperations(container, async () => reach),
    verify,
    startCheck: () => container.get(StartCheck).report,
  })
}

/** The same operations, whose deletions are cleared away from then on. */
function clearing<Operations extends { delete(...args: never): Promise<void> }>(
  operations: Operations,
  signals: WorkSignals,
): Operations {
  const remove = operations.delete.bind(operations)
  return {
    ...operations,
    delete: async (...args: never): Promise<void> => {
      await remove(...args)
      signals.contextDeleted()
    },
  }
}
