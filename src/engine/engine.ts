import type { DocumentEvents } from '../documents/index.js'
import type { NewEvent, RecordEventOptions, RecordedEvent } from '../outbox/index.js'
import type { InitializeInput, InitializeResult, Principal } from '../tenancy/index.js'
import type { Authentication } from './authentication.js'
import type { Health } from './health.js'
import type { HostAdministration } from './host-administration.js'
import type { Session } from './session.js'

/** Events, to be sent to the destinations that have subscribed to them. */
export interface EventOperations {
  /**
   * Records an event durably; its deliveries are sent in the background, whatever crashes. With a
   * `transaction` of the host's own knex, the event is recorded if that one is committed, and only then.
   *
   * @throws InvalidInputError for an unknown type, and for data that is not that of its type
   * @throws NotFoundError where there is no such company
   */
  record(event: NewEvent, options?: RecordEventOptions): Promise<RecordedEvent>
}

/** Assistants, their documents and their search, for any number of companies. */
export interface Engine {
  /** The principal that was made with the root company: it may do everything on its accounts. */
  readonly owner: Principal
  /** Companies, accounts, roles, users, permissions, API keys and destinations, without any check of who asks. */
  readonly administration: HostAdministration
  /** Tokens and passwords: how somebody becomes a principal. */
  readonly authentication: Authentication
  /** What happened in the host's application, for all who want to hear of it. */
  readonly events: EventOperations
  /**
   * What a principal may do. Whether it exists, and what its role allows, is looked up at every call.
   * @throws InvalidInputError where a member of the principal is missing
   */
  as(principal: Principal): Session
  /**
   * Hears what happens in this process.
   * @returns a function that ends it
   * @throws InvalidInputError for an event that there is not, or a listener that is no function
   */
  on<Name extends keyof DocumentEvents>(name: Name, listener: (event: DocumentEvents[Name]) => void): () => void
  /**
   * Makes the first API key.
   * @throws AlreadyInitializedError where there is one; nothing is changed then
   */
  initialize(input?: InitializeInput): Promise<InitializeResult>
  /** How the ports are. Never rejects. */
  health(): Promise<Health>
  /**
   * Resolves once what was deleted is gone from the disk too, or nothing more can be done about it for now.
   * @returns `done`; or that the rest waits and is tried again by itself: because a disk is `full`, or because it
   *   has `failed`
   */
  whenCleared(): Promise<'done' | 'full' | 'failed'>
  /** Ends or gives back what is under way, then closes the ports. A second call does nothing. */
  close(): Promise<void>
}
