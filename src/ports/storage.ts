import type { AuditRepository } from './storage/audit-repository.js'
import type { ChunkRepository } from './storage/documents/chunk-repository.js'
import type { ContextRepository } from './storage/documents/context-repository.js'
import type { DocumentRepository } from './storage/documents/document-repository.js'
import type { ShadowRepository } from './storage/documents/shadow-repository.js'
import type { UploadRepository } from './storage/documents/upload-repository.js'
import type { JobRepository } from './storage/job-repository.js'
import type { DeliveryRepository } from './storage/outbox/delivery-repository.js'
import type { DestinationRepository } from './storage/outbox/destination-repository.js'
import type { EventRepository } from './storage/outbox/event-repository.js'
import type {
  OneTimePasswordRepository,
  RateRepository,
  RevokedTokenRepository,
} from './storage/rate-and-token-repositories.js'
import type { AccountRepository } from './storage/tenancy/account-repository.js'
import type { ApiKeyRepository } from './storage/tenancy/api-key-repository.js'
import type { CompanyRepository, RegionRepository } from './storage/tenancy/company-repository.js'
import type { MailRepository } from './storage/tenancy/mail-repository.js'
import type { PermissionRepository } from './storage/tenancy/permission-repository.js'
import type { RoleRepository } from './storage/tenancy/role-repository.js'
import type { PasswordTokenRepository, UserRepository } from './storage/tenancy/user-repository.js'

/** Small facts of the installation by key, such as the id of the owner. */
export interface SettingRepository {
  /** @returns the value; `undefined` for an unknown key */
  get(key: string): Promise<string | undefined>
  /** Sets a value, and replaces an earlier one. */
  put(key: string, value: string): Promise<void>
}

/**
 * All tables, inside one read or one transaction. Use them only until the work of that read or transaction has settled.
 * Unless a method says otherwise, changes to a missing row do nothing, and lists of ids in arguments have any length.
 */
export interface Repositories {
  readonly settings: SettingRepository
  readonly companies: CompanyRepository
  readonly regions: RegionRepository
  readonly accounts: AccountRepository
  readonly roles: RoleRepository
  readonly users: UserRepository
  readonly permissions: PermissionRepository
  readonly apiKeys: ApiKeyRepository
  readonly passwordTokens: PasswordTokenRepository
  readonly oneTimePasswords: OneTimePasswordRepository
  readonly mails: MailRepository
  readonly contexts: ContextRepository
  readonly documents: DocumentRepository
  readonly shadows: ShadowRepository
  readonly uploads: UploadRepository
  readonly chunks: ChunkRepository
  readonly jobs: JobRepository
  readonly destinations: DestinationRepository
  readonly events: EventRepository
  readonly deliveries: DeliveryRepository
  readonly rates: RateRepository
  readonly revokedTokens: RevokedTokenRepository
  readonly audit: AuditRepository
}

/** The size of a database. */
export interface StorageSize {
  /** Undefined if unknown. */
  readonly sizeBytes: number | undefined
  /** Numbers of rows by table. */
  readonly rows: Readonly<Record<string, number>>
}

/** The isolation of a transaction from concurrent ones. */
export interface TransactionOptions {
  /**
   * - `serializable`: the result is as if no other transaction had run at the same time.
   * - `read committed`: each statement sees the data that was committed when the statement began. Use it for work whose
   *   conditions are in the statements that write, or on rows that the transaction holds (see
   *   {@link ContextRepository.lock}, {@link JobRepository.extend}). It costs less if many processes write at a time.
   *
   * A storage with one writer at a time treats both alike. Default: `serializable`.
   */
  readonly isolation?: 'serializable' | 'read committed'
  /**
   * True if the first statement of the work writes. A storage with one writer at a time then takes no lock before that
   * statement. If the work reads first all the same, the transaction may fail when another process writes. Default:
   * false.
   */
  readonly isWriteFirst?: boolean
}

/**
 * The relational store. Only its data, the files and the indexes survive the process.
 *
 * # Behaviour
 * - Ids are positive integers. They ascend, and a table never uses an id twice.
 * - Timestamps are ISO 8601 strings. The storage returns them exactly as written.
 * - Strings keep every code point. U+0000 does not occur: the core refuses it.
 * - Concurrent calls are allowed, also from several processes. A storage may run transactions one after the other.
 * - A failure of the database is a `StorageError`, whose `isTransient` says whether the same call may succeed later, or
 *   a `StorageFullError` or `StorageReadOnlyError`.
 * - After {@link close} every call rejects with a `ClosedError` (`ERR_CLOSED`).
 */
export interface Storage {
  /**
   * Creates or updates the tables. Several processes may call it at the same time. A second call does nothing.
   *
   * @throws SchemaTooNewError if a newer version wrote the tables; nothing changes then
   * @throws SchemaTooOldError if the tables are from a version that this one cannot update; nothing changes then
   */
  open(): Promise<void>

  /**
   * Runs work that only reads. Each statement sees the data that was committed when the statement began.
   *
   * The work must not write. An adapter may refuse a write.
   *
   * @returns the result of the work, or rejects with its error
   */
  read<T>(work: (repositories: Repositories) => Promise<T>): Promise<T>

  /**
   * Runs work that reads and writes in one transaction.
   *
   * - When the promise resolves, all changes are committed. If the work throws, the storage rolls back all changes and
   *   rejects with the error.
   * - Transactions that write the same rows do not interleave.
   * - If another transaction interfered, the work runs a second time from its start. So the work must have no other
   *   effects than reads and writes of the repositories.
   * - Not re-entrant: the work must not wait for another transaction.
   */
  transaction<T>(work: (repositories: Repositories) => Promise<T>, options?: TransactionOptions): Promise<T>

  /**
   * Runs work as a part of a transaction that the host has opened.
   *
   * - The changes of the work are committed or rolled back with the host's transaction. If the work throws, the storage
   *   takes back the work's changes only, and rejects with the error.
   * - The storage calls `ended` once, after the host's transaction has been committed or rolled back. From then on,
   *   other transactions see committed changes.
   *
   * @param transaction a transaction of the host, such as one of knex
   * @throws InvalidInputError if `transaction` is not an open transaction on this storage's own database
   * @throws UnsupportedError if the storage has no transactions that a host can open
   */
  join<T>(transaction: unknown, work: (repositories: Repositories) => Promise<T>, ended: () => void): Promise<T>

  /**
   * Notifies the caller about committed jobs that are due at once, from any process, so that it polls sooner.
   * Notifications may be lost. A storage of one process need not notify about jobs of its own process.
   *
   * @param listener called with the kind of the jobs
   * @returns a function that ends the notifications
   */
  watchJobs(listener: (kind: string) => void): () => Promise<void>

  /**
   * Checks the database for damage, and changes nothing. Always checks that the tables are those of this version.
   *
   * @param options.isThorough true to check also what the database can check itself: its pages, its indexes and the
   *   references between rows
   * @param options.signal ends the check; the call rejects with the signal's reason. Default: no signal
   * @returns one sentence for each problem, at most about 100; an empty list if there is no problem
   */
  verify(options: { readonly isThorough: boolean; readonly signal?: AbortSignal }): Promise<readonly string[]>

  /**
   * Checks that the database can be used, at little cost, and without a wait for other calls. Default: a small read is the check.
   * @throws StorageError
   */
  check?(): Promise<void>

  /**
   * Measures the database, at little cost. An estimate is enough for rows.
   *
   * @returns undefined, as without this method, if unknown
   */
  measure?(): Promise<StorageSize | undefined>

  /**
   * Checks that data can be written, without writing any. A full disk passes, because reads go on.
   *
   * @throws StorageReadOnlyError if the disk is read-only
   * @throws StorageError if the data cannot be written for another reason
   */
  requireWritable?(): Promise<void>

  /** Waits for calls in progress, then frees connections. A second call does nothing. */
  close(): Promise<void>
}
