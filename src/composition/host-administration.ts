import type { Container } from 'inversify'
import { Administration, type Principal, UNLIMITED } from '../tenancy-authorization/index.js'
import {
  type DeliveryOperations,
  type DestinationOperations,
  deliveryOperations,
  destinationOperations,
  type OutboxSignals,
} from './outbox-session.js'

/** The host's own hand: what {@link Administration} is, and destinations and deliveries of all companies. */
export interface HostAdministration extends Pick<Administration, keyof Administration> {
  /** `create` is for the root company unless it says; `list` without a company lists all. */
  readonly destinations: DestinationOperations
  readonly deliveries: DeliveryOperations
}

export function hostAdministration(container: Container, owner: Principal, signals: OutboxSignals): HostAdministration {
  const authorize = async () => {
    return { reach: UNLIMITED, companyId: owner.companyId, listedCompanyId: undefined }
  }
  return Object.assign(container.get(Administration), {
    destinations: destinationOperations(container, authorize, signals),
    deliveries: deliveryOperations(container, authorize, signals),
  })
}
