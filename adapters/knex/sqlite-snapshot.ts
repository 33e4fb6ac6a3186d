import type { Knex } from 'knex'
import { BACKUP_JOB, InvalidInputError } from '../../src/ports/index.js'
import { fileOf, openSqlite } from './connections.js'
import { withTranslatedErrors } from './errors.js'
import { KnexStorage } from './knex-storage.js'
import { IS_OPEN } from './migrations/0001-initial-events.js'
import { inParts } from './repositories/knex-repository.js'
import { type NameTable, number, numberOrNull, type Row, text } from './tables.js'

/** A document that is not deleted. */
export interface SnapshotDocument {
  readonly id: number
  readonly uuid: string
  readonly sizeBytes: number
  /** Lower-case hex SHA-256 of the bytes. */
  readonly contentHash: string
  readonly isCompleted: boolean
  /** The number of its windows, and so of its vectors. */
  readonly windows: number
  /** The number of its chunks; 0 until it is completed. */
  readonly chunks: number
  /** The version of the analyzer that indexed its words; null if they are not indexed. */
  readonly wordsVersion: number | null
  /** True for a shadow: another version has its file. */
  readonly isShadow: boolean
}

/** Counts of the rows that are not deleted. */
export interface SnapshotCounts {
  readonly contexts: number
  readonly documents: number
  readonly documentBytes: number
  /** Deliveries that are still to be made. */
  readonly pendingDeliveries: number
}

/** The kinds of jobs that remove deleted documents and contexts. */
const REMOVALS = ['purge-document', 'purge-context']
const DOCUMENTS_PER_PAGE = 1_000
const WINDOWS_PER_PAGE = 1_024

/** A copy of an SQLite database of the engine, taken at one moment, in its own file. */
export class SqliteSnapshot {
  readonly #knex: Knex
  readonly #name: NameTable
  /** The repositories of the snapshot. They cannot be used after {@link close}. */
  readonly storage: KnexStorage

  private constructor(file: string, tablePrefix: string) {
    this.#knex = openSqlite(file)
    this.#name = (table) => tablePrefix + table
    this.storage = new KnexStorage({ knex: this.#knex, keepKnex: true, tablePrefix })
  }

  /**
   * Copies a database to a new file, in its state at the start of the copy. Writers continue during the copy.
   * @throws InvalidInputError if it has no tables with this prefix
   */
  static async take(source: Knex, file: string, tablePrefix: string): Promise<SqliteSnapshot> {
    await withTranslatedErrors(source.raw('vacuum into ?', [file]), file)
    return await SqliteSnapshot.open(file, tablePrefix)
  }

  /** @throws InvalidInputError if it has no tables with this prefix */
  static async open(file: string, tablePrefix: string): Promise<SqliteSnapshot> {
    const snapshot = new SqliteSnapshot(file, tablePrefix)
    try {
      await requireTables(snapshot.#knex, tablePrefix)
      return snapshot
    } catch (error) {
      await snapshot.close()
      throw error
    }
  }

  /** Migrates the tables to this version. @throws SchemaTooNewError, SchemaTooOldError */
  async migrate(): Promise<void> {
    await this.storage.open()
  }

  /**
   * Prepares the snapshot for a new engine. It releases all jobs and removes all uploads. Documents that were being
   * processed start from the beginning, as their vectors and words were copied at another moment. It also removes
   * deleted documents and contexts, whose jobs would remove them later.
   */
  async settle(): Promise<void> {
    await this.storage.transaction(async ({ jobs, uploads }) => {
      await jobs.cancelAll([BACKUP_JOB])
      await jobs.releaseAll()
      await uploads.removeExpired({ all: true })
    })
    const unfinished = () => this.#knex(this.#name('documents')).whereNull('completed').whereNull('deleted')
    for (const table of ['windows', 'chunks'] as const) {
      await this.#knex(this.#name(table)).whereIn('document_id', unfinished().select('id')).delete()
    }
    await unfinished().update({ words_version: null, embedded_chunks: 0 })
    await this.#removeDeleted()
  }

  async #removeDeleted(): Promise<void> {
    const contextIds = this.#knex(this.#name('contexts')).whereNotNull('deleted').select('id')
    const rows = await this.#knex<Row>(this.#name('documents'))
      .whereNotNull('deleted')
      .orWhereIn('context_id', contextIds)
      .select('id')
    const ids = rows.map((row) => number(row, 'id'))
    for (const part of inParts(ids)) {
      for (const table of ['windows', 'chunks'] as const) {
        await this.#knex(this.#name(table)).whereIn('document_id', part).delete()
      }
    }
    await this.storage.transaction(async ({ documents, contexts }) => {
      await documents.remove(ids)
      for (const id of await contexts.listDeleted()) await contexts.remove(id)
    })
    // Their subjects are gone.
    await this.#knex(this.#name('jobs')).whereIn('kind', REMOVALS).delete()
  }

  /**
   * Marks the words of these documents as not indexed. An engine that opens the database indexes them in the
   * background.
   */
  async forgetWords(ids: readonly number[]): Promise<void> {
    for (const part of inParts(ids)) {
      await this.#knex(this.#name('documents')).whereIn('id', part).update({ words_version: null })
    }
  }

  async setting(key: string): Promise<string | undefined> {
    return await this.storage.read(({ settings }) => settings.get(key))
  }

  async counts(): Promise<SnapshotCounts> {
    const { live: contexts } = await this.#firstRow(this.#live('contexts').count({ live: '*' }))
    const documents = await this.#firstRow(
      this.#live('documents').whereNull('generation').count({ live: '*' }).sum({ bytes: 'size_bytes' }),
    )
    const open = this.#knex<Row>(this.#name('deliveries')).whereRaw(IS_OPEN).count({ pending: '*' })
    const { pending } = await this.#firstRow(open)
    return {
      contexts: Number(contexts),
      documents: Number(documents['live']),
      documentBytes: Number(documents['bytes']),
      pendingDeliveries: Number(pending),
    }
  }

  /** The versions of documents that are not deleted, with the shadows of a re-index, in the order of their ids. */
  async *documents(): AsyncGenerator<SnapshotDocument> {
    const windows = this.#knex(this.#name('windows'))
      .where('document_id', this.#knex.ref(`${this.#name('documents')}.id`))
      .count()
      .as('windows')
    for (let after = 0; ; ) {
      const rows = await this.#live('documents')
        .where('id', '>', after)
        .orderBy('id')
        .limit(DOCUMENTS_PER_PAGE)
        .select(
          'id',
          'uuid',
          'size_bytes',
          'content_hash',
          'completed',
          'chunk_count',
          'words_version',
          'generation',
          windows,
        )
      yield* rows.map(toDocument)
      const last = rows.at(-1)
      if (last === undefined) return
      after = number(last, 'id')
    }
  }

  /** The windows of a document, in pages: the ordinal of the chunk, and of the window in it. */
  async *windows(documentId: number): AsyncGenerator<readonly { readonly chunk: number; readonly window: number }[]> {
    for (let last = { chunk: -1, window: -1 }; ; ) {
      const rows: readonly Row[] = await this.#knex<Row>(this.#name('windows'))
        .where('document_id', documentId)
        .whereRaw('(chunk, ordinal) > (?, ?)', [last.chunk, last.window])
        .orderBy(['chunk', 'ordinal'])
        .limit(WINDOWS_PER_PAGE)
        .select('chunk', 'ordinal')
      const windows = rows.map((row) => ({ chunk: number(row, 'chunk'), window: number(row, 'ordinal') }))
      if (windows.length > 0) yield windows
      if (windows.length < WINDOWS_PER_PAGE) return
      last = windows.at(-1) ?? last
    }
  }

  async close(): Promise<void> {
    // It may be emptying the log: a connection that is open then would leave the log behind.
    await this.storage.close()
    await this.#knex.destroy()
  }

  async #firstRow(query: Knex.QueryBuilder): Promise<Row> {
    return ((await query) as readonly Row[])[0] ?? {}
  }

  #live(table: 'contexts' | 'documents'): Knex.QueryBuilder<Row, Row[]> {
    return this.#knex<Row>(this.#name(table)).whereNull('deleted')
  }
}

function toDocument(row: Row): SnapshotDocument {
  return {
    id: number(row, 'id'),
    uuid: text(row, 'uuid'),
    sizeBytes: number(row, 'size_bytes'),
    contentHash: text(row, 'content_hash'),
    isCompleted: row['completed'] !== null,
    windows: number(row, 'windows'),
    chunks: number(row, 'chunk_count'),
    wordsVersion: numberOrNull(row, 'words_version'),
    isShadow: row['generation'] !== null,
  }
}

/** @throws InvalidInputError if a database has no tables of the engine with this prefix */
export async function requireTables(knex: Knex, tablePrefix: string): Promise<void> {
  if (await withTranslatedErrors(knex.schema.hasTable(`${tablePrefix}schema`), fileOf(knex))) return
  throw new InvalidInputError(
    'tablePrefix',
    `the database has no tables that begin with ${tablePrefix}: pass the prefix that the engine was opened with`,
  )
}

/**
 * Reads an SQLite database while it holds the write lock, so that no other connection writes. Writers wait, and fail
 * when their timeout ends. The work itself must not write: its transaction is rolled back.
 *
 * @throws StorageError if another connection holds the write lock for too long
 */
export async function withoutWriters<T>(
  source: Knex,
  tablePrefix: string,
  work: (transaction: Knex) => Promise<T>,
): Promise<T> {
  const transaction = await source.transaction()
  try {
    // An update takes the write lock even if it changes no row.
    await withTranslatedErrors(
      transaction(`${tablePrefix}schema`).update({ version: 0 }).whereRaw('0 = 1'),
      fileOf(source),
    )
    return await work(transaction)
  } finally {
    await transaction.rollback().catch(() => undefined)
  }
}
