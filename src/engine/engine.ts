import type { DocumentEvents } from '../documents/index.js'
import type { NewEvent, RecordEventOptions, RecordedEvent } from '../outbox/index.js'
import type { InitializeInput, InitializeResult, Principal } from '../tenancy/index.js'
import type { Authentication } from './authentication.js'
import type { Health } from './health.js'
import type { HostAdministration } from './host-administration.js'
import type { Session } from './session.js'

/** Events of the host's application, for the destinations that have subscribed to them. */
export interface EventOperations {
  /**
   * Records an event durably. The relay sends its deliveries in the background, also after a crash. With a
   * `transaction` of the host's own knex, the event is recorded if and only if that transaction commits.
   *
   * @returns the recorded event, with the number of its deliveries
   * @throws InvalidInputError for an unknown type, for data that does not fit the type, and for a `transaction` that is
   *   not an open transaction on the engine's database
   * @throws NotFoundError `ERR_COMPANY_NOT_FOUND`
   * @throws UnsupportedError for a `transaction` if the storage cannot join transactions of a host
   * @throws ClosedError after the engine is closed
   */
  record(event: NewEvent, options?: RecordEventOptions): Promise<RecordedEvent>
}

/**
 * The engine: contexts, their documents and their search, for any number of companies.
 *
 * Concurrent calls of all methods are allowed. A failure of the database or of a disk rejects with a `StorageError`,
 * whose `isTransient` says whether a retry may succeed, or with a `StorageFullError`.
 */
export interface Engine {
  /** The first user, created with the root company. It has all rights on the accounts of that company. */
  readonly owner: Principal
  /**
   * Companies, accounts, roles, users, permissions, API keys and destinations. It checks no rights: only the host uses
   * it.
   */
  readonly administration: HostAdministration
  /** Tokens and passwords: they turn a client or a user into a principal. */
  readonly authentication: Authentication
  /** Events of the host's application, for destinations. */
  readonly events: EventOperations
  /**
   * Returns the operations of a principal. Each call of an operation checks that the principal exists, and what its
   * role allows at that time.
   *
   * @throws InvalidInputError if a member of the principal is missing or invalid
   * @throws ClosedError after the engine is closed
   */
  as(principal: Principal): Session
  /**
   * Adds a listener for events about documents that this process handles. Events of other processes do not reach it. An
   * error of a listener affects no other listener.
   *
   * @returns a function that removes the listener
   * @throws InvalidInputError for an unknown event, or if the listener is not a function
   */
  on<Name extends keyof DocumentEvents>(name: Name, listener: (event: DocumentEvents[Name]) => void): () => void
  /**
   * Creates the first API key, and all that is missing of the root company, its accounts and the owner.
   *
   * @param input name of the root company, and address of the owner. Default: the engine's default values
   * @returns ids, and the API key with its secret, which no other call returns
   * @throws InvalidInputError for invalid input
   * @throws AlreadyInitializedError if there is an API key; nothing changes then
   * @throws ClosedError after the engine is closed
   */
  initialize(input?: InitializeInput): Promise<InitializeResult>
  /** Checks each port by a small read, for at most 2 s. Never rejects. */
  health(): Promise<Health>
  /**
   * Waits until deleted data is removed from the disk, or until the engine can remove no more for now.
   *
   * @returns `done` if all deleted data is removed; `full` if the rest waits because a disk is full; `failed` if the
   *   rest waits because its removal failed. The engine retries the rest by itself.
   */
  whenCleared(): Promise<'done' | 'full' | 'failed'>
  /**
   * Closes the engine: aborts or finishes the work in progress, releases its jobs, then closes all ports. A second call
   * waits for the first one.
   *
   * @throws the first error of a port that could not be closed; the engine closes the other ports all the same
   */
  close(): Promise<void>
}
