import type { AuditRepository } from './storage/audit-repository.js'
import type {
  ChunkRepository,
  ContextRepository,
  DocumentRepository,
  UploadRepository,
} from './storage/document-repositories.js'
import type { JobRepository } from './storage/job-repository.js'
import type { DeliveryRepository, DestinationRepository, EventRepository } from './storage/outbox-repositories.js'
import type {
  OneTimePasswordRepository,
  RateRepository,
  RevokedTokenRepository,
} from './storage/rate-and-token-repositories.js'
import type {
  AccountRepository,
  ApiKeyRepository,
  CompanyRepository,
  MailRepository,
  PasswordTokenRepository,
  PermissionRepository,
  RegionRepository,
  RoleRepository,
  UserRepository,
} from './storage/tenancy-repositories.js'

/** Small facts of the installation, by key, such as who the owner is. */
export interface SettingRepository {
  get(key: string): Promise<string | undefined>
  /** Sets a value, replacing the one before. */
  put(key: string, value: string): Promise<void>
}

/** Everything relational, as seen from inside one read or one transaction. */
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

/** How a transaction is kept apart from others that are at work at the same time. */
export interface TransactionOptions {
  /**
   * `serializable`, the default: as if no other had been at work meanwhile. `read committed`: each statement sees what
   * was committed when it began; for work whose conditions are in the statements that write, or on rows that the
   * transaction holds (see {@link ContextRepository.lock}, {@link JobRepository.extend}). It costs less where many
   * processes meet. A storage with one writer at a time makes no difference.
   */
  readonly isolation?: 'serializable' | 'read committed'
  /**
   * Whether its first statement writes; default false. A storage with one writer at a time then needs no lock before
   * that. One that reads first all the same may fail beside another process.
   */
  readonly isWriteFirst?: boolean
}

/**
 * The relational store, and the only place where state survives.
 *
 * # Behaviour
 * - Ids are positive integers, ascending, never used twice in a table.
 * - Timestamps are ISO 8601 strings, kept and given back as they came.
 * - Strings keep every code point; U+0000 does not occur (the core refuses it).
 * - A failure of the database is a `StorageError`; `isTransient` says whether
 *   the same call may succeed later.
 * - After {@link close} every call rejects with `ERR_CLOSED`.
 */
export interface Storage {
  /**
   * Makes or updates the tables. Several processes may call it at once. A second call does nothing.
   * @throws SchemaTooNewError where a newer version wrote them; nothing is changed.
   */
  open(): Promise<void>

  /**
   * Reads. Each statement sees what was committed when it began.
   * The work must not write; adapters may refuse it.
   */
  read<T>(work: (repositories: Repositories) => Promise<T>): Promise<T>

  /**
   * Reads and writes as a unit.
   *
   * - All of it is committed when the promise resolves, or none of it: an error of
   *   the work is rethrown after a rollback.
   * - Two transactions that write the same rows do not interleave.
   * - The work may be done again from its beginning, where another transaction came between: it must do
   *   nothing but read and write.
   * - Not re-entrant: the work must not open another transaction and wait for it.
   */
  transaction<T>(work: (repositories: Repositories) => Promise<T>, options?: TransactionOptions): Promise<T>

  /**
   * Reads and writes as a part of a transaction of the host's own.
   *
   * - What the work does is committed or rolled back with that transaction. An error of the work is
   *   rethrown once the work's own changes are taken back; the host's stay.
   * - `ended` is called once that transaction is over, whichever way: what is to be seen can be seen then.
   *
   * @throws InvalidInputError where `transaction` is none that is open on this storage's own database
   * @throws UnsupportedError where the storage has no transactions that a host could have begun
   */
  join<T>(transaction: unknown, work: (repositories: Repositories) => Promise<T>, ended: () => void): Promise<T>

  /**
   * Hears of jobs that are due at once, as soon as they are committed, whichever process has enqueued them: a reason
   * to look for them sooner. Some may not be heard of. A storage of one process need not tell its own.
   *
   * @param heard called with the kind of the jobs
   * @returns what ends it
   */
  watchJobs(heard: (kind: string) => void): () => Promise<void>

  /**
   * Looks for damage: whether the tables are those of this version, and, where it is `isThorough`, what the
   * database itself can tell of its pages, its indexes and references between rows. Changes nothing.
   *
   * @returns one sentence for each thing that is wrong, at most about a hundred; none where all is well
   */
  verify(options: { readonly isThorough: boolean; readonly signal?: AbortSignal }): Promise<readonly string[]>

  /** Waits for what is under way, then frees connections. A second call does nothing. */
  close(): Promise<void>
}
