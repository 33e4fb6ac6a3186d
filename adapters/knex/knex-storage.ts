import { dirname } from 'node:path'
import type { Knex } from 'knex'
import {
  ClosedError,
  InvalidInputError,
  type Repositories,
  type RetryOptions,
  retry,
  type Storage,
  type StorageSize,
  type TransactionOptions,
} from '../../src/ports/index.js'
import { healthConnectionOf, promptly, requireTablePrefix, requireWritable } from '../node-kit/index.js'
import { fileOf, requirePostgresUrl } from './connections.js'
import { type Dialect, dialectOf } from './dialect.js'
import { explainError, isConflict } from './errors.js'
import { JobAnnouncements, listenTo } from './job-announcements.js'
import { measureDatabase } from './measure-database.js'
import { KnexApiKeyRepository } from './repositories/api-key-repository.js'
import { KnexChunkRepository } from './repositories/chunk-repository.js'
import {
  KnexAccountRepository,
  KnexCompanyRepository,
  KnexRegionRepository,
  KnexSettingRepository,
} from './repositories/company-repositories.js'
import { KnexContextRepository } from './repositories/context-repository.js'
import { KnexDeliveryRepository } from './repositories/delivery-repository.js'
import { KnexDocumentRepository } from './repositories/document-repository.js'
import { KnexJobRepository } from './repositories/job-repository.js'
import type { Session } from './repositories/knex-repository.js'
import { KnexDestinationRepository, KnexEventRepository } from './repositories/outbox-repositories.js'
import { KnexPermissionRepository } from './repositories/permission-repository.js'
import {
  KnexAuditRepository,
  KnexOneTimePasswordRepository,
  KnexRateRepository,
  KnexRevokedTokenRepository,
} from './repositories/security-repositories.js'
import { KnexShadowRepository } from './repositories/shadow-repository.js'
import { KnexUploadRepository } from './repositories/upload-repository.js'
import {
  KnexMailRepository,
  KnexPasswordTokenRepository,
  KnexRoleRepository,
  KnexUserRepository,
} from './repositories/user-repositories.js'
import { runMigrations } from './run-migrations.js'
import type { NameTable } from './tables.js'
import { verifyDatabase } from './verify-database.js'
import { WriteAheadLog } from './write-ahead-log.js'

/**
 * For transactions that conflict with another one: nothing of them was written (PostgreSQL, Serialization Failure
 * Handling). When many transactions write the same row, one of them succeeds each time, so all succeed in the end.
 */
const CONFLICT_RETRIES: RetryOptions = {
  backoff: { firstMs: 4, longestMs: 100, maxRetries: 99, isRandom: true },
  isTransient: isConflict,
}

export interface KnexStorageOptions {
  /**
   * Connections to SQLite (client `sqlite3` or `better-sqlite3`) or PostgreSQL (`pg`), without `wrapIdentifier` and
   * `postProcessResponse`. The storage destroys them when it is closed, unless `keepKnex` is set.
   */
  readonly knex: Knex
  /** Prefix of every table name. Default: `alcove_`. */
  readonly tablePrefix?: string
  /** True if the host destroys `knex` itself. Default: false. */
  readonly keepKnex?: boolean
}

/** Storage on SQLite or PostgreSQL, through knex. */
export class KnexStorage implements Storage {
  readonly #knex: Knex
  readonly #keepKnex: boolean
  readonly #dialect: Dialect
  readonly #name: NameTable
  /** The file of SQLite; undefined on PostgreSQL, and in memory. */
  readonly #file: string | undefined
  /** Undefined on SQLite, which has no notifications: engines of one folder poll several times a second. */
  readonly #announcements: JobAnnouncements | undefined
  /** The repositories outside of transactions. Making them for each read would take as long as a short statement. */
  #reading: Repositories | undefined
  readonly #log: WriteAheadLog | undefined
  /** The last write on SQLite, which has one writer. Waiting here costs less than waiting for its lock. */
  #lastWrite: Promise<unknown> = Promise.resolve()
  #opened: Promise<void> | undefined
  #isClosed = false

  /** @throws InvalidInputError if `knex` or `tablePrefix` cannot be used */
  constructor(options: KnexStorageOptions) {
    const { knex, tablePrefix = 'alcove_', keepKnex = false } = options
    KnexStorage.check({ knex, tablePrefix })
    this.#knex = knex
    this.#keepKnex = keepKnex
    this.#dialect = dialectOf(knex)
    this.#name = (table) => tablePrefix + table
    this.#log = this.#dialect.hasOneWriter ? new WriteAheadLog(knex) : undefined
    this.#file = fileOf(knex)
    this.#announcements = this.#dialect.hasOneWriter ? undefined : new JobAnnouncements(knex, this.#name('jobs'))
  }

  /**
   * Checks options without opening anything.
   *
   * @param options as of the constructor, or the URL of a PostgreSQL database; each may be missing
   * @throws InvalidInputError for an option that cannot be used
   */
  static check(options: {
    readonly knex?: unknown
    readonly databaseUrl?: string
    readonly tablePrefix?: string
  }): void {
    const { knex, databaseUrl, tablePrefix } = options
    if (knex !== undefined) dialectOf(knex)
    if (databaseUrl !== undefined) requirePostgresUrl(databaseUrl, 'databaseUrl')
    if (tablePrefix !== undefined) requireTablePrefix(tablePrefix)
  }

  /** True if other machines can use the database too. */
  get isOnServer(): boolean {
    return !this.#dialect.hasOneWriter
  }

  async open(): Promise<void> {
    this.#opened ??= this.#migrate().catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
    await this.#opened
  }

  async read<T>(work: (repositories: Repositories) => Promise<T>): Promise<T> {
    this.#reading ??= this.#repositories(this.#knex)
    const repositories = this.#reading
    return await this.#promptly(() => this.#withTranslatedErrors(() => work(repositories)))
  }

  async transaction<T>(
    work: (repositories: Repositories) => Promise<T>,
    { isolation = 'serializable', isWriteFirst = false }: TransactionOptions = {},
  ): Promise<T> {
    let kinds = new Set<string>()
    const run = async (transaction: Knex.Transaction): Promise<T> => {
      // A retry may enqueue other kinds.
      kinds = new Set()
      if (this.#dialect.hasOneWriter && !isWriteFirst) await this.#takeWriteLock(transaction)
      return await work(this.#repositories(transaction, kinds))
    }
    const result = await this.#promptly(() => this.#inTransaction(run, isolation))
    this.#announcements?.announce(kinds)
    return result
  }

  async join<T>(transaction: unknown, work: (repositories: Repositories) => Promise<T>, onEnd: () => void): Promise<T> {
    const outer = requireHostTransaction(transaction, this.#knex)
    const kinds = new Set<string>()
    const inSavepoint = async (): Promise<T> => {
      // A savepoint: an error rolls back the engine's changes, and keeps the host's.
      return await runTransaction(outer, async (savepoint) => {
        if (this.#dialect.hasOneWriter) await this.#takeWriteLock(savepoint)
        return await work(this.#repositories(savepoint, kinds))
      })
    }
    const result = await this.#promptly(() => this.#withTranslatedErrors(inSavepoint))
    const onCommit = (): void => {
      this.#announcements?.announce(kinds)
      onEnd()
    }
    outermostTransaction(outer).executionPromise.then(onCommit, onEnd)
    return result
  }

  watchJobs(onDue: (kind: string) => void): () => Promise<void> {
    if (this.#announcements === undefined) return () => Promise.resolve()
    return listenTo(this.#knex, this.#name('jobs'), onDue)
  }

  async verify(options: { readonly isThorough: boolean; readonly signal?: AbortSignal }): Promise<readonly string[]> {
    return await this.#withTranslatedErrors(() => verifyDatabase(this.#knex, this.#dialect, this.#name, options))
  }

  async check(): Promise<void> {
    await this.#withTranslatedErrors(async () => {
      if (this.#dialect.hasOneWriter) await this.#repositories(this.#knex).settings.get('owner')
      else await healthConnectionOf(this.#knex).check()
    })
  }

  async requireWritable(): Promise<void> {
    if (this.#file !== undefined) await requireWritable(dirname(this.#file), 'database')
  }

  async measure(): Promise<StorageSize> {
    const measure = async (): Promise<StorageSize> => await measureDatabase(this.#knex, this.#dialect, this.#name)
    return await this.#promptly(() => this.#withTranslatedErrors(measure))
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#lastWrite
    await this.#announcements?.close()
    if (!this.#dialect.hasOneWriter) await healthConnectionOf(this.#knex).close()
    await this.#log?.close()
    if (!this.#keepKnex) await this.#knex.destroy()
  }

  async #migrate(): Promise<void> {
    await this.#inTransaction(
      async (transaction) => await runMigrations(transaction, { name: this.#name, dialect: this.#dialect }),
      'read committed',
    )
  }

  async #inTransaction<T>(
    work: (transaction: Knex.Transaction) => Promise<T>,
    isolationLevel: NonNullable<TransactionOptions['isolation']>,
  ): Promise<T> {
    if (!this.#dialect.hasOneWriter) {
      return await this.#withTranslatedErrors(() =>
        retry(() => runTransaction(this.#knex, work, { isolationLevel }), CONFLICT_RETRIES),
      )
    }
    const write = this.#lastWrite.then(() => this.#withTranslatedErrors(() => runTransaction(this.#knex, work)))
    this.#lastWrite = write.catch(() => undefined)
    const result = await write
    this.#log?.noteWrite()
    return result
  }

  /** SQLite lets no transaction that begins with a read write after another process has written. */
  async #takeWriteLock(transaction: Knex.Transaction): Promise<void> {
    await transaction(this.#name('schema')).update({ version: 0 }).whereRaw('0 = 1')
  }

  /** On a server, whose network may turn silent. */
  async #promptly<T>(work: () => Promise<T>): Promise<T> {
    return await (this.#dialect.hasOneWriter ? work() : promptly(work))
  }

  async #withTranslatedErrors<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new ClosedError('the storage')
    try {
      return await work()
    } catch (error) {
      throw await explainError(error, this.#file)
    }
  }

  #repositories(knex: Knex, enqueuedKinds = new Set<string>()): Repositories {
    return repositoriesOf({ knex, dialect: this.#dialect, name: this.#name, enqueuedKinds })
  }
}

/**
 * Runs a transaction of knex, or a savepoint in one. If the work throws, this function throws that error. knex itself
 * would throw the error of the ROLLBACK, which fails too on a lost connection.
 */
async function runTransaction<T>(
  knex: Knex,
  work: (transaction: Knex.Transaction) => Promise<T>,
  config?: Knex.TransactionConfig,
): Promise<T> {
  let failure: { readonly error: unknown } | undefined
  try {
    return await knex.transaction(async (transaction) => {
      // knex runs the work even if the transaction could not start. It throws the reason afterwards.
      if (transaction.isCompleted()) throw new Error('the transaction could not start')
      try {
        return await work(transaction)
      } catch (error) {
        failure = { error }
        throw error
      }
    }, config)
  } catch (error) {
    throw failure === undefined ? error : failure.error
  }
}

/**
 * Checks that the engine's tables can be written in a transaction that the host has started.
 * @throws InvalidInputError if it is no transaction, is finished, or belongs to another knex instance
 */
function requireHostTransaction(candidate: unknown, knex: Knex): Knex.Transaction {
  const transaction = candidate as Partial<Knex.Transaction> | undefined
  if (typeof candidate !== 'function' || transaction?.isTransaction !== true) {
    throw new InvalidInputError('transaction', 'must be a transaction of knex, as knex.transaction(…) starts it')
  }
  if (transaction.isCompleted?.() !== false) {
    throw new InvalidInputError('transaction', 'is already committed or rolled back: pass an open transaction')
  }
  if (configOf(transaction) !== configOf(knex)) {
    throw new InvalidInputError(
      'transaction',
      'must belong to the knex instance that the engine was opened with: openLocalEngine({ dataDir, knex })',
    )
  }
  return transaction as Knex.Transaction
}

/** Other connections see the changes of a savepoint only after the outermost transaction is committed. */
function outermostTransaction(transaction: Knex.Transaction): Knex.Transaction {
  const { parentTransaction } = transaction
  return parentTransaction === undefined ? transaction : outermostTransaction(parentTransaction)
}

/** A transaction shares the configuration object of the instance that started it. */
function configOf({ client }: Pick<Knex, 'client'> | Partial<Knex.Transaction>): unknown {
  return (client as { readonly config?: unknown } | undefined)?.config ?? {}
}

/** All repositories on one connection, or within one transaction. */
function repositoriesOf(session: Session): Repositories {
  return {
    settings: new KnexSettingRepository(session),
    companies: new KnexCompanyRepository(session),
    regions: new KnexRegionRepository(session),
    accounts: new KnexAccountRepository(session),
    roles: new KnexRoleRepository(session),
    users: new KnexUserRepository(session),
    permissions: new KnexPermissionRepository(session),
    apiKeys: new KnexApiKeyRepository(session),
    passwordTokens: new KnexPasswordTokenRepository(session),
    oneTimePasswords: new KnexOneTimePasswordRepository(session),
    mails: new KnexMailRepository(session),
    contexts: new KnexContextRepository(session),
    documents: new KnexDocumentRepository(session),
    shadows: new KnexShadowRepository(session),
    uploads: new KnexUploadRepository(session),
    chunks: new KnexChunkRepository(session),
    jobs: new KnexJobRepository(session),
    destinations: new KnexDestinationRepository(session),
    events: new KnexEventRepository(session),
    deliveries: new KnexDeliveryRepository(session),
    rates: new KnexRateRepository(session),
    revokedTokens: new KnexRevokedTokenRepository(session),
    audit: new KnexAuditRepository(session),
  }
}
