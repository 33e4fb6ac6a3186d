import type { Knex } from 'knex'
import { BACKUP_JOB, InvalidInputError, type Storage } from '../../src/ports/index.js'
import { translateError } from './errors.js'
import { KnexStorage } from './knex-storage.js'
import { IS_OPEN } from './migrations/0005-outbox.js'
import { openSqlite } from './open-sqlite.js'
import { inParts } from './repositories/base.js'
import { number, numberOrNull, type Row, text } from './rows.js'
import type { NameTable } from './tables.js'

/** A document that is not deleted. */
export interface SnapshotDocument {
  readonly id: number
  readonly uuid: string
  readonly sizeBytes: number
  /** Lower-case hex SHA-256 of the bytes. */
  readonly contentHash: string
  readonly isCompleted: boolean
  /** Windows, and so vectors, that it has. */
  readonly windows: number
  /** 0 until completed. */
  readonly chunks: number
  /** The version of the analyzer by which its words are indexed; null where they are not. */
  readonly wordsVersion: number | null
}

/** What is not deleted. */
export interface SnapshotCounts {
  readonly contexts: number
  readonly documents: number
  readonly documentBytes: number
  /** Deliveries that are not at their end. */
  readonly pendingDeliveries: number
}

const DOCUMENTS_PER_LOOK = 1_000
const WINDOWS_PER_LOOK = 1_024

/** An SQLite database of the engine's as it was at one moment, in a file of its own. */
export class SqliteSnapshot {
  readonly #knex: Knex
  readonly #name: NameTable
  readonly #tablePrefix: string

  private constructor(file: string, tablePrefix: string) {
    this.#knex = openSqlite(file)
    this.#tablePrefix = tablePrefix
    this.#name = (table) => tablePrefix + table
  }

  /**
   * Copies a database to a new file. Writers go on meanwhile; what they write is in the copy as it was when it began.
   * @throws InvalidInputError where it has no tables with this prefix
   */
  static async take(source: Knex, file: string, tablePrefix: string): Promise<SqliteSnapshot> {
    await source.raw('vacuum into ?', [file]).catch((error: unknown) => {
      throw translateError(error)
    })
    return await SqliteSnapshot.open(file, tablePrefix)
  }

  /** @throws InvalidInputError where it has no tables with this prefix */
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

  /** Its rows, by repositories. It is closed with the snapshot. */
  get storage(): Storage {
    return this.#storage()
  }

  /** Brings the tables up to this version. @throws SchemaTooNewError */
  async migrate(): Promise<void> {
    await this.#storage().open()
  }

  /**
   * Makes of it what a new engine can go on with: nobody holds its jobs, no upload is under way, and documents that
   * were being processed begin anew, for their vectors and words are not as they were at that moment.
   */
  async settle(): Promise<void> {
    await this.#storage().transaction(async ({ jobs, uploads }) => {
      await jobs.cancel(BACKUP_JOB)
      await jobs.releaseAll()
      await uploads.removeExpired({ all: true })
    })
    const unfinished = () => this.#knex(this.#name('documents')).whereNull('completed').whereNull('deleted')
    for (const table of ['windows', 'chunks'] as const) {
      await this.#knex(this.#name(table)).whereIn('document_id', unfinished().select('id')).delete()
    }
    await unfinished().update({ words_version: null, embedded_chunks: 0 })
  }

  /** Notes that the words of these documents are not indexed: an engine that opens it does that, in the background. */
  async forgetWords(ids: readonly number[]): Promise<void> {
    for (const part of inParts(ids)) {
      await this.#knex(this.#name('documents')).whereIn('id', part).update({ words_version: null })
    }
  }

  async setting(key: string): Promise<string | undefined> {
    return await this.#storage().read(({ settings }) => settings.get(key))
  }

  async counts(): Promise<SnapshotCounts> {
    const { live: contexts } = await this.#one(this.#live('contexts').count({ live: '*' }))
    const documents = await this.#one(this.#live('documents').count({ live: '*' }).sum({ bytes: 'size_bytes' }))
    const open = this.#knex<Row>(this.#name('deliveries')).whereRaw(IS_OPEN).count({ pending: '*' })
    const { pending } = await this.#one(open)
    return {
      contexts: Number(contexts),
      documents: Number(documents['live']),
      documentBytes: Number(documents['bytes']),
      pendingDeliveries: Number(pending),
    }
  }

  /** The documents that are not deleted, by id. */
  async *documents(): AsyncGenerator<SnapshotDocument> {
    const windows = this.#knex(this.#name('windows'))
      .where('document_id', this.#knex.ref(`${this.#name('documents')}.id`))
      .count()
      .as('windows')
    for (let after = 0; ; ) {
      const rows = await this.#live('documents')
        .where('id', '>', after)
        .orderBy('id')
        .limit(DOCUMENTS_PER_LOOK)
        .select('id', 'uuid', 'size_bytes', 'content_hash', 'completed', 'chunk_count', 'words_version', windows)
      yield* rows.map(toDocument)
      const last = rows.at(-1)
      if (last === undefined) return
      after = number(last, 'id')
    }
  }

  /** The windows of a document, some at a time: the ordinals of their chunks and their own. */
  async *windows(documentId: number): AsyncGenerator<readonly { readonly chunk: number; readonly window: number }[]> {
    for (let last = { chunk: -1, window: -1 }; ; ) {
      const rows: readonly Row[] = await this.#knex<Row>(this.#name('windows'))
        .where('document_id', documentId)
        .whereRaw('(chunk, ordinal) > (?, ?)', [last.chunk, last.window])
        .orderBy(['chunk', 'ordinal'])
        .limit(WINDOWS_PER_LOOK)
        .select('chunk', 'ordinal')
      const windows = rows.map((row) => ({ chunk: number(row, 'chunk'), window: number(row, 'ordinal') }))
      if (windows.length > 0) yield windows
      if (windows.length < WINDOWS_PER_LOOK) return
      last = windows.at(-1) ?? last
    }
  }

  async close(): Promise<void> {
    await this.#knex.destroy()
  }

  async #one(query: Knex.QueryBuilder): Promise<Row> {
    return ((await query) as readonly Row[])[0] ?? {}
  }

  #live(table: 'contexts' | 'documents'): Knex.QueryBuilder<Row, Row[]> {
    return this.#knex<Row>(this.#name(table)).whereNull('deleted')
  }

  #storage(): KnexStorage {
    return new KnexStorage({ knex: this.#knex, keepKnex: true, tablePrefix: this.#tablePrefix })
  }
}

/** @throws InvalidInputError where a database has no tables of the engine's with this prefix */
export async function requireTables(knex: Knex, tablePrefix: string): Promise<void> {
  const isThere = await knex.schema.hasTable(`${tablePrefix}schema`).catch((error: unknown) => {
    throw translateError(error)
  })
  if (isThere) return
  throw new InvalidInputError(
    'tablePrefix',
    `the database has no tables that begin with ${tablePrefix}: give the prefix that the engine was opened with`,
  )
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
  }
}
