import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { VectorsDamagedError } from '../../../src/ports/index.js'
import { ifPresent, isWritable, makeDatabaseFilePrivate, makeFolder } from '../../node-kit/index.js'
import { SqliteConnection } from './sqlite-connection.js'
import { checkFile, STATE_SUM } from './word-checksums.js'

const SUFFIX = '.sqlite'
/** The number of collections whose files stay open. Each has up to six open files. */
const MAX_OPEN = 32

interface OpenFile {
  readonly file: WordFile
  uses: number
  /** Called when the last use ends. */
  unused: (() => void) | undefined
}

/** The files of a folder, one for each collection. The most recently used ones stay open. */
export class WordFiles {
  /** In order of use, the most recently used last. */
  readonly #opened = new Map<string, OpenFile>()
  /** Files that are being closed. A call that needs one waits. */
  readonly #closing = new Map<string, Promise<void>>()

  constructor(private readonly folder: string) {}

  /** Runs work with the file of a collection; returns `emptyResult` if there is none. */
  async use<T>(collection: string, emptyResult: T, work: (file: WordFile) => Promise<T>): Promise<T> {
    await this.#makeReady(collection)
    if (!this.#opened.has(collection) && !this.#exists(collection)) return emptyResult
    return await this.#use(collection, work)
  }

  /** Runs work with the file of a collection, and creates the file if there is none. */
  async useOrMake<T>(collection: string, work: (file: WordFile) => Promise<T>): Promise<T> {
    await makeFolder(this.folder)
    await this.#makeReady(collection)
    return await this.#use(collection, work)
  }

  async names(): Promise<readonly string[]> {
    const entries = await ifPresent(readdir(this.folder), [])
    return entries.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length))
  }

  /** Waits for calls that use the file, then deletes it. */
  async drop(collection: string): Promise<void> {
    await this.#close(collection, async () => await removeWordFile(this.#pathOf(collection)))
  }

  /** Creates a file with a consistent copy of an open one. */
  async copyFrom(collection: string, from: SqliteConnection): Promise<void> {
    await makeFolder(this.folder)
    const path = this.#pathOf(collection)
    makeDatabaseFilePrivate(path)
    await from.run('vacuum into ?', [path])
  }

  /** Waits for calls that use files, then closes all files. */
  async close(): Promise<void> {
    await Promise.all([...this.#opened.keys()].map((collection) => this.#close(collection)))
    await Promise.all(this.#closing.values())
  }

  /** Waits for a close in progress. Closes a file that was opened on a read-only disk, once the disk is writable. */
  async #makeReady(collection: string): Promise<void> {
    for (;;) {
      if (this.#opened.get(collection)?.file.isOutdated === true) await this.#close(collection)
      const closing = this.#closing.get(collection)
      if (closing === undefined) return
      await closing
    }
  }

  /** The caller makes sure that the file is not being closed. */
  async #use<T>(collection: string, work: (file: WordFile) => Promise<T>): Promise<T> {
    const opened = this.#opened.get(collection) ?? {
      file: new WordFile(this.#pathOf(collection)),
      uses: 0,
      unused: undefined,
    }
    this.#opened.delete(collection)
    this.#opened.set(collection, opened)
    opened.uses += 1
    this.#closeOldest()
    try {
      return await work(opened.file)
    } finally {
      opened.uses -= 1
      if (opened.uses === 0) opened.unused?.()
    }
  }

  #closeOldest(): void {
    if (this.#opened.size <= MAX_OPEN) return
    for (const [collection, { uses }] of this.#opened) {
      if (uses > 0) continue
      // The next use of the file reports the error.
      this.#close(collection).catch(() => undefined)
      return
    }
  }

  async #close(collection: string, afterClose: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const before = this.#closing.get(collection)
    const opened = this.#opened.get(collection)
    this.#opened.delete(collection)
    const closing = (async () => {
      await before
      if (opened !== undefined && opened.uses > 0) {
        await new Promise<void>((resolve) => {
          opened.unused = resolve
        })
      }
      await opened?.file.close()
      await afterClose()
    })()
    const settled = closing
      .catch(() => undefined)
      .then(() => {
        if (this.#closing.get(collection) === settled) this.#closing.delete(collection)
      })
    this.#closing.set(collection, settled)
    await closing
  }

  /** @throws Error of the system if it cannot tell: an unreadable folder is not an empty one */
  #exists(collection: string): boolean {
    return statSync(this.#pathOf(collection), { throwIfNoEntry: false }) !== undefined
  }

  #pathOf(collection: string): string {
    return join(this.folder, collection + SUFFIX)
  }
}

/** The layout of the tables. A file of another layout is not read. */
const LAYOUT = 5
/** The page cache of the writing connection: additions read pages all over the file. */
const CACHE_KB = 8_192
/** The log is truncated to this size after it was larger. */
const LOG_BYTES = 16 * 1_048_576

/**
 * - `postings`: rows of a term with the postings of its chunks, in ascending order of their numbers. `first` is the
 *   number with which the row began. `before` is the number of postings in the earlier rows of the term, so the last
 *   row gives the total. A row takes postings until it has enough: see `addPostings`. The key of a row has an index of
 *   its own. In one tree with the postings, four keys would fill a page, and finding a row would take 28 µs instead of
 *   1. `crc` is the checksum of the row, as in `runs`. It stands before the postings: SQLite reads a row from its
 *   beginning.
 * - `runs`: chunks of one document with consecutive ordinals and numbers. A chunk in no run is deleted. `lengths` has
 *   the number of terms of each chunk, in 4 bytes. `total` is made of all numbers: a search checks it without reading
 *   the lengths.
 * - `grams`: the parts of the terms, in buckets: see `gram-entries.ts`. `new_grams` has those that wait for a bucket. A
 *   term has the id of its first row of postings, so ids are never used again. `crc` is as in `postings`.
 * - `state`: one row. `next` is the number of the next chunk. `deleted` is the number of deleted chunks that still have
 *   postings. A trigger keeps `total`, which is made of all numbers.
 */
const TABLES = `
  create table postings (
    id integer primary key autoincrement, term text not null, first integer not null, before integer not null,
    crc integer not null, postings blob not null
  );
  create unique index postings_of_term on postings (term, first);
  create table runs (
    first integer primary key, document integer not null, chunk integer not null, chunks integer not null,
    length integer not null, total integer not null, crc integer not null, lengths blob not null
  );
  create index runs_of_document on runs (document, chunk);
  create table grams (bucket integer primary key, crc integer not null, entries blob not null);
  create table new_grams (id integer primary key, crc integer not null, entries blob not null);
  create table state (
    id text not null, next integer not null default 0, chunks integer not null default 0,
    length integer not null default 0, deleted integer not null default 0, total integer not null default 1
  );
  create trigger total_of_state after update of next, chunks, length, deleted on state begin
    update state set total = ${STATE_SUM};
  end;`

/** The file of one collection, with one connection for reads and one for writes. */
export class WordFile {
  readonly #connections: SqliteConnection[] = []
  readonly #connect = pLimit(1)
  #reader: SqliteConnection | undefined
  #writer: SqliteConnection | undefined
  #isOpenedReadOnly = false

  constructor(private readonly path: string) {}

  /** True if SQLite has opened the file for reads alone, and it can be written now. */
  get isOutdated(): boolean {
    return this.#isOpenedReadOnly && isWritable(this.path)
  }

  async reader(): Promise<SqliteConnection> {
    return this.#reader ?? (await this.#connect(async () => (this.#reader ??= await this.#open())))
  }

  async writer(): Promise<SqliteConnection> {
    return this.#writer ?? (await this.#connect(async () => (this.#writer ??= await this.#openWriter())))
  }

  async close(): Promise<void> {
    // Close them one after the other: the last connection writes the log into the file. If two close at once, neither
    // is the last.
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
    // Deleted words must not stay in free parts of the file.
    await connection.exec(`pragma cache_size = -${CACHE_KB}; pragma secure_delete = on`)
    return connection
  }

  get sizeBytes(): number {
    return statSync(this.path, { throwIfNoEntry: false })?.size ?? 0
  }

  /** @throws an error with the code `SQLITE_CORRUPT` if a part of the file is damaged */
  async check(): Promise<void> {
    // The readers wait for no connection that reads all.
    await this.reader()
    const connection = await SqliteConnection.open(this.path)
    try {
      await checkFile(connection)
    } finally {
      await connection.close().catch(() => undefined)
    }
  }

  async #open(): Promise<SqliteConnection> {
    makeDatabaseFilePrivate(this.path)
    if (!isWritable(this.path)) this.#isOpenedReadOnly = true
    const connection = await SqliteConnection.open(this.path)
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

async function prepare(connection: SqliteConnection): Promise<void> {
  const layout = await layoutOf(connection)
  if (layout !== 0 && layout !== LAYOUT) {
    const advice = 'use the engine version that wrote them'
    throw new VectorsDamagedError(`the words have layout ${layout}, and this engine reads layout ${LAYOUT}: ${advice}`)
  }
  // This setting takes effect only before the first table exists.
  if (layout === 0) await connection.exec('pragma auto_vacuum = incremental')
  await connection.exec(
    `pragma journal_mode = wal; pragma synchronous = full; pragma journal_size_limit = ${LOG_BYTES}`,
  )
  if (layout === LAYOUT) return
  await connection.transaction(async () => {
    // Another connection may have made the tables.
    if ((await layoutOf(connection)) === LAYOUT) return
    await connection.exec(`${TABLES}; pragma user_version = ${LAYOUT}`)
    await connection.run('insert into state (id) values (?)', [randomUUID()])
  })
}

async function layoutOf(connection: SqliteConnection): Promise<number> {
  const [row] = await connection.all<{ readonly user_version: number }>('pragma user_version')
  return row?.user_version ?? 0
}

/** Removes the files of a collection, damaged ones too. */
async function removeWordFile(path: string): Promise<void> {
  // Remove the log first. Without the log, the file is consistent. Without the file, a new file would take over the old
  // log.
  for (const suffix of ['-wal', '-shm', '']) await rm(path + suffix, { force: true, recursive: true })
}
