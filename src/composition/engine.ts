import type { DocumentEvents } from '../ingestion/index.js'
import type { Administration, InitializeInput, InitializeResult, Principal } from '../tenancy-authorization/index.js'
import type { Authentication } from './authentication.js'
import type { Health } from './health.js'
import type { Session } from './session.js'

/** Assistants, their documents and their search, for any number of companies. */
export interface Engine {
  /** The principal that was made with the root company: it may do everything on its accounts. */
  readonly owner: Principal
  /** Companies, accounts, roles, users, permissions and API keys, without any check of who asks. */
  readonly administration: Administration
  /** Tokens and passwords: how somebody becomes a principal. */
  readonly authentication: Authentication
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
  /** Resolves once what was deleted is gone from the disk too. */
  whenCleared(): Promise<void>
  /** Ends or gives back what is under way, then closes the ports. A second call does nothing. */
  close(): Promise<void>
}
