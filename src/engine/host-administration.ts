import type {
  Context,
  ContextReindexProgress,
  HandedOver,
  HandOverAllInput,
  HandOverInput,
  NewChunkSettings,
  ReindexAllOptions,
} from '../contexts/index.js'
import type { VerifyOptions, VerifyReport } from '../doctor/index.js'
import type { Administration, Principal } from '../tenancy/index.js'
import type { EngineParts } from './engine-parts.js'
import { AT_ONCE, type WorkSignals } from './operations/operations.js'
import {
  createDeliveryOperations,
  createDestinationOperations,
  type DeliveryOperations,
  type DestinationOperations,
} from './operations/outbox-operations.js'
import { type AuditOperations, createAuditOperations } from './operations/tenant-operations.js'

/**
 * The host's administration of all companies: the methods of {@link Administration}, and destinations, deliveries, the
 * audit trail and the doctor. No method checks rights.
 */
export interface HostAdministration extends Pick<Administration, keyof Administration> {
  /** Destinations of all companies. `create` defaults to the root company. `list` without a company lists all. */
  readonly destinations: DestinationOperations
  /** Deliveries of all companies. */
  readonly deliveries: DeliveryOperations
  /** The audit trail of all companies. */
  readonly audit: AuditOperations
  /** Contexts of all companies that get another user. */
  readonly contexts: ContextAdministration
  /**
   * Runs the doctor: compares rows, vectors, words, files and models with each other while the engine works. It reads
   * every file, and checks each problem a second time before it reports the problem. Other work has priority.
   *
   * With `repair`, it repairs what it can, for example by a second processing of documents from their files. Then it
   * waits for the repairs, and checks them.
   *
   * @returns the problems, each with whether it is repaired, and counts of all that was checked
   * @throws InvalidInputError for invalid options
   * @throws UnsupportedError with `repair` if this engine does not process documents
   * @throws ClosedError if the engine is closed before the end; the signal's reason if the signal is aborted
   */
  verify(options?: VerifyOptions): Promise<VerifyReport>
  /**
   * Re-indexes the contexts of all companies, one after the other, and yields the progress of each. It passes over
   * contexts that have the settings, so a second call continues where the first one ended. Searches go on meanwhile:
   * see `contexts.update` of a session. An engine that does not process documents waits for one that does.
   *
   * The run ends early if the caller leaves the loop. The context at that time goes on in the background.
   *
   * @param settings the new model, chunk size or overlap; an omitted setting stays as it is in each context
   * @throws InvalidInputError @throws ModelError `ERR_MODEL_UNKNOWN`, both before anything starts
   * @throws ClosedError if the engine is closed before the end; the signal's reason if the signal is aborted
   */
  reindexAll(settings: NewChunkSettings, options?: ReindexAllOptions): AsyncIterable<ContextReindexProgress>
  /**
   * Returns the result of the cheap check that runs in the background about 1 s after the sweep at the start. The check
   * counts rows, reads no files, vectors or words, and repairs nothing. If engines share a database, one of them runs
   * it.
   *
   * @returns at most 1,000 problems; undefined until the check is finished, and in an engine that does not run it
   */
  startCheck(): VerifyReport | undefined
}

/** Gives contexts to other users. */
export interface ContextAdministration {
  /**
   * Gives a context to another user.
   *
   * @throws InvalidInputError if that user may not read contexts of the account
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`
   */
  handOver(contextId: number, input: HandOverInput): Promise<Context>
  /**
   * Gives all contexts of a user to another user. The user may be deleted.
   *
   * @returns the ids of the contexts
   * @throws InvalidInputError if that user may not read contexts of one of the accounts; nothing changes then
   * @throws NotFoundError `ERR_USER_NOT_FOUND` if the user never existed
   */
  handOverAll(fromUserId: number, input: HandOverAllInput): Promise<HandedOver>
}

export function createHostAdministration(
  parts: EngineParts,
  owner: Principal,
  workers: WorkSignals | undefined,
  verify: HostAdministration['verify'],
): HostAdministration {
  const reach = parts.hostReach
  const authorize = async () => {
    return { reach, companyId: owner.companyId, listedCompanyId: undefined }
  }
  const administration = parts.administration
  const { companies, accounts, users } = administration
  return Object.assign(administration, {
    companies: withPurge(companies, workers),
    accounts: withPurge(accounts, workers),
    users: withPurge(users, workers),
    destinations: createDestinationOperations(parts, authorize, workers, AT_ONCE),
    deliveries: createDeliveryOperations(parts, authorize, workers, AT_ONCE),
    audit: createAuditOperations(parts, async () => reach, AT_ONCE),
    contexts: {
      handOver: async (contextId: number, input: HandOverInput) =>
        await parts.handOverContexts.executeForHost(contextId, input, reach),
      handOverAll: async (fromUserId: number, input: HandOverAllInput) =>
        await parts.handOverContexts.ofUser(fromUserId, input, reach),
    },
    verify,
    reindexAll: (settings: NewChunkSettings, options: ReindexAllOptions = {}) =>
      parts.reindexAll.run(settings, options, () => workers?.settingsChanged()),
    startCheck: () => parts.startCheck.report,
  })
}

/** Wraps operations, so that each deletion wakes the worker that purges deleted data. */
function withPurge<Operations extends { delete(...args: never): Promise<void> }>(
  operations: Operations,
  workers: WorkSignals | undefined,
): Operations {
  const deleteItem = operations.delete.bind(operations)
  return {
    ...operations,
    delete: async (...args: never): Promise<void> => {
      await deleteItem(...args)
      workers?.purgeQueued()
    },
  }
}
