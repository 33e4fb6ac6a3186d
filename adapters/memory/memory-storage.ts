import {
  ClosedError,
  type Repositories,
  type Storage,
  type StorageSize,
  UnsupportedError,
} from '../../src/ports/index.js'
import { apiKeyRepository } from './storage/api-key-repository.js'
import { chunkRepository } from './storage/chunk-repository.js'
import {
  accountRepository,
  companyRepository,
  regionRepository,
  settingRepository,
} from './storage/company-repositories.js'
import { contextRepository } from './storage/context-repository.js'
import { documentRepository } from './storage/document-repository.js'
import { jobRepository } from './storage/job-repository.js'
import { MemoryTables } from './storage/memory-tables.js'
import { deliveryRepository, destinationRepository, eventRepository } from './storage/outbox-repositories.js'
import { permissionRepository } from './storage/permission-repository.js'
import {
  auditRepository,
  oneTimePasswordRepository,
  rateRepository,
  revokedTokenRepository,
} from './storage/security-repositories.js'
import { shadowRepository } from './storage/shadow-repository.js'
import { uploadRepository } from './storage/upload-repository.js'
import { mailRepository, passwordTokenRepository, roleRepository, userRepository } from './storage/user-repositories.js'

/**
 * Storage in memory. Transactions run one after the other; a journal rolls them back. The end of the process deletes
 * all rows.
 */
export class MemoryStorage implements Storage {
  readonly #tables = new MemoryTables()
  readonly #repositories: Repositories = {
    settings: settingRepository(this.#tables),
    companies: companyRepository(this.#tables),
    regions: regionRepository(this.#tables),
    accounts: accountRepository(this.#tables),
    roles: roleRepository(this.#tables),
    users: userRepository(this.#tables),
    permissions: permissionRepository(this.#tables),
    apiKeys: apiKeyRepository(this.#tables, permissionRepository(this.#tables)),
    passwordTokens: passwordTokenRepository(this.#tables),
    oneTimePasswords: oneTimePasswordRepository(this.#tables),
    mails: mailRepository(this.#tables),
    contexts: contextRepository(this.#tables),
    documents: documentRepository(this.#tables),
    shadows: shadowRepository(this.#tables),
    uploads: uploadRepository(this.#tables),
    chunks: chunkRepository(this.#tables),
    jobs: jobRepository(this.#tables),
    destinations: destinationRepository(this.#tables),
    events: eventRepository(this.#tables),
    deliveries: deliveryRepository(this.#tables),
    rates: rateRepository(this.#tables),
    revokedTokens: revokedTokenRepository(this.#tables),
    audit: auditRepository(this.#tables),
  }
  #lastTransaction: Promise<unknown> = Promise.resolve()
  #isClosed = false

  async open(): Promise<void> {
    if (this.#isClosed) throw new ClosedError('the storage')
  }

  async read<T>(work: (repositories: Repositories) => Promise<T>): Promise<T> {
    return await this.transaction(work)
  }

  async transaction<T>(work: (repositories: Repositories) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new ClosedError('the storage')
    const result = this.#lastTransaction.then(async () => {
      const { journal } = this.#tables
      journal.length = 0
      try {
        return await work(this.#repositories)
      } catch (error) {
        for (const undo of journal.reverse()) undo()
        throw error
      }
    })
    this.#lastTransaction = result.catch(() => undefined)
    return await result
  }

  async join(): Promise<never> {
    throw new UnsupportedError(
      'a storage in memory has no transactions that a host could start: record the event without { transaction }',
    )
  }

  /** No other process can add jobs to this storage. */
  watchJobs(): () => Promise<void> {
    return () => Promise.resolve()
  }

  /** Rows in memory cannot be damaged. */
  async verify(): Promise<readonly string[]> {
    if (this.#isClosed) throw new ClosedError('the storage')
    return []
  }

  async measure(): Promise<StorageSize> {
    const { companies, users, contexts, documents, chunks, events, deliveries, audit } = this.#tables
    const measured = { companies, users, contexts, documents, chunks, events, deliveries, audit }
    const counts = Object.entries(measured).map(([name, table]): [string, number] => [name, table.filter().length])
    return { sizeBytes: undefined, rows: Object.fromEntries(counts) }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#lastTransaction
  }
}
