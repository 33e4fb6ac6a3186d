import { randomUUID } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import pLimit from 'p-limit'
import { VectorsDamagedError } from '../../../src/ports/index.js'
import { SqliteConnection } from './sqlite-connection.js'

/** Layout of the tables. A file of layout 1 gets it when it is opened; one of a layout that is not known yet is not read. */
const LAYOUT = 2
/** A file is for the engine's user alone. */
const FILE_MODE = 0o600
/** Pages that the connection keeps that writes: additions look at all over the file. */
const CACHE_KB = 8_192
/** The log is cut back to this once it was larger. */
const LOG_BYTES = 16 * 1_048_576

/**
 * - `postings`: rows of a term with the postings of its chunks in ascending order of their numbers. `first` is the number
 *   that the row began with, `before` how many postings the rows of the term before it have: the last row tells how
 *   many there are. A row takes postings until it has enough: see `addPostings`. Its key is an index of its own: in one
 *   tree with the postings, four keys would fill a page, and a look for one row would take 28 µs in place of 1.
 * - `runs`: chunks of one document whose ordinals and numbers follow each other. A chunk that is in none is deleted.
 *   `lengths` has the terms of each chunk, in 4 bytes.
 * - `state`: one row. `next` is the number of the next chunk, `deleted` how many deleted chunks still have postings.
 */
const POSTINGS = `
  create table postings (
    id integer primary key, term text not null, first integer not null, before integer not null, postings blob not null
  );
  create unique index postings_of_term on postings (term, first);`
const TABLES = `${POSTINGS}
  create table runs (
    first integer primary key, document integer not null, chunk integer not null, chunks integer not null,
    length integer not null, lengths blob not null
  );
  create index runs_of_document on runs (document, chunk);
  create table state (
    id text not null, next integer not null default 0, chunks integer not null default 0,
    length integer not null default 0, deleted integer not null default 0
  );`

/** In layout 1 the key of postings is in one tree with them. */
const FROM_LAYOUT_1 = `
  alter table postings rename to postings_1; ${POSTINGS}
  insert into postings (term, first, before, postings) select term, first, before, postings from postings_1;
  drop table postings_1;`

/** One collection: a file, with one connection to read and one to write. */
export class WordFile {
  readonly #path: string
  readonly #connections: SqliteConnection[] = []
  readonly #connect = pLimit(1)
  #reader: SqliteConnection | undefined
  #writer: SqliteConnection | undefined

  constructor(path: string) {
    this.#path = path
  }

  async reader(): Promise<SqliteConnection> {
    return this.#reader ?? (await this.#connect(async () => (this.#reader ??= await this.#open())))
  }

  async writer(): Promise<SqliteConnection> {
    return this.#writer ?? (await this.#connect(async () => (this.#writer ??= await this.#openWriter())))
  }

  async close(): Promise<void> {
    // One after the other: the last one puts the log into the file, and of two that close at once none is the last.
    const errors: unknown[] = []
    for (const connection of this.#connections.splice(0)) {
      await connection.close().catch((error: unknown) => errors.push(error))
    }
    this.#reader = undefined
    this.#writer = undefined
    if (errors.length > 0) throw errors[0]
  }

  async #openWriter(): Promise<SqliteConnection> {
    const connection = await this.#open()
    await connection.exec(`pragma cache_size = -${CACHE_KB}`)
    return connection
  }

  async #open(): Promise<SqliteConnection> {
    makePrivate(this.#path)
    const connection = await SqliteConnection.open(this.#path)
    try {
      await prepare(connection)
      this.#connections.push(connection)
      return connection
    } catch (error) {
      await connection.close().catch(() => undefined)
      throw error
    }
  }
}

/** Makes the file where it is missing. SQLite gives its log and its shared memory the mode of the file. */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', FILE_MODE))
  } catch {
    // It is there, or cannot be made: SQLite says why.
  }
}

async function prepare(connection: SqliteConnection): Promise<void> {
  const layout = await layoutOf(connection)
  if (layout > LAYOUT) {
    const wanted = 'an engine of a later version has made them'
    throw new VectorsDamagedError(`the words are of layout ${layout}, and this engine reads ${LAYOUT}: ${wanted}`)
  }
  // Only before the first table is made.
  if (layout === 0) await connection.exec('pragma auto_vacuum = incremental')
  await connection.exec(
    `pragma journal_mode = wal; pragma synchronous = full; pragma journal_size_limit = ${LOG_BYTES}`,
  )
  if ((await layoutOf(connection)) === LAYOUT) return
  await connection.transaction(async () => {
    const now = await layoutOf(connection)
    if (now === LAYOUT) return
    await connection.exec(`${now === 0 ? TABLES : FROM_LAYOUT_1}; pragma user_version = ${LAYOUT}`)
    if (now === 0) await connection.run('insert into state (id) values (?)', [randomUUID()])
  })
  // Where that fails, the room is given back by the next purge.
  if (layout === 1) await connection.exec('pragma incremental_vacuum').catch(() => undefined)
}

async function layoutOf(connection: SqliteConnection): Promise<number> {
  const [row] = await connection.all<{ readonly user_version: number }>('pragma user_version')
  return row?.user_version ?? 0
}

/** Removes the files of a collection: damaged ones too. */
export async function removeWordFile(path: string): Promise<void> {
  // The log first: without it the file is whole, without the file it would be taken for that of a new one.
  for (const suffix of ['-wal', '-shm', '']) await rm(path + suffix, { force: true, recursive: true })
}
