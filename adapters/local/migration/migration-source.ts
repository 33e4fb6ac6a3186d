import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { MigrationFailedError, NotInitializedError } from '../../../src/index.js'
import type { Storage } from '../../../src/ports/index.js'
import { syncFolder } from '../../files/index.js'
import { KnexStorage, openSqlite, requireTables, SqliteSnapshot, withoutWriters } from '../../knex/index.js'
import { type DataDirLock, lockDataDir } from '../data-dir-lock.js'
import { DATABASE, formerName, isThere } from '../data-dir-names.js'
import { requireLocalDatabase } from '../open-local-engine.js'
import { ID_SETTING, requireSameDatabase } from '../same-database.js'
import { MARK_SETTING, markSource } from './migration-mark.js'

/** A data folder whose database is copied elsewhere; nobody else works on it meanwhile. */
export class MigrationSource {
  readonly folder: string
  /** Whether its database was set aside by a migration that came to its end, or as good as. */
  readonly isSetAside: boolean
  readonly snapshot: SqliteSnapshot
  readonly databaseId: string
  /** The same as before as long as nobody has worked on the folder since. */
  readonly copyId: string
  readonly #knex: Knex
  readonly #tablePrefix: string
  readonly #lock: DataDirLock

  private constructor(known: Known, ids: { readonly databaseId: string; readonly copyId: string }) {
    this.folder = known.folder
    this.isSetAside = known.isSetAside
    this.snapshot = known.snapshot
    this.databaseId = ids.databaseId
    this.copyId = ids.copyId
    this.#knex = known.knex
    this.#tablePrefix = known.tablePrefix
    this.#lock = known.lock
  }

  /**
   * Takes the folder's lock, and makes of its database what another engine can go on with.
   *
   * @throws NotInitializedError where there is nothing to be copied
   * @throws DataDirLockedError where an engine works on the folder
   */
  static async open(folder: string, tablePrefix: string): Promise<MigrationSource> {
    const isSetAside = !(await isThere(join(folder, DATABASE))) && (await isThere(formerName(join(folder, DATABASE))))
    if (!isSetAside) await requireLocalDatabase(folder)
    const file = isSetAside ? formerName(join(folder, DATABASE)) : join(folder, DATABASE)
    const opened: (() => Promise<void>)[] = []
    try {
      const lock = await lockDataDir(folder, { webhookAllow: [] })
      opened.unshift(async () => lock.release())
      const knex = openSqlite(file)
      opened.unshift(async () => knex.destroy())
      await requireTables(knex, tablePrefix)
      const snapshot = await SqliteSnapshot.open(file, tablePrefix)
      opened.unshift(async () => snapshot.close())
      const storage = new KnexStorage({ knex, keepKnex: true, tablePrefix })
      const ids = await prepare(folder, storage, snapshot)
      return new MigrationSource({ folder, isSetAside, snapshot, knex, tablePrefix, lock }, ids)
    } catch (error) {
      for (const close of opened) await close()
      throw error
    }
  }

  /** Reads the database while nobody writes to it. */
  async reading<T>(work: (reading: Knex) => Promise<T>): Promise<T> {
    return await withoutWriters(this.#knex, this.#tablePrefix, async (reading) => {
      const copyId = await this.snapshot.setting(MARK_SETTING)
      if (copyId === this.copyId) return await work(reading)
      throw new MigrationFailedError(`somebody else works on ${this.folder}: end that, and migrate it again`)
    })
  }

  /** Where something of the folder is once it is {@link setAside}. */
  former(name: string): string {
    return formerName(join(this.folder, name))
  }

  /** Closes the database, gives what is not used any more another name, and leaves the folder to others. */
  async setAside(names: readonly string[]): Promise<void> {
    await this.snapshot.close()
    await this.#knex.destroy()
    for (const name of names) {
      if (await isThere(join(this.folder, name))) await rename(join(this.folder, name), this.former(name))
    }
    await syncFolder(this.folder)
  }

  async close(): Promise<void> {
    await this.snapshot.close()
    await this.#knex.destroy()
    await this.#lock.release()
  }
}

type Known = Pick<MigrationSource, 'folder' | 'isSetAside' | 'snapshot'> & {
  readonly knex: Knex
  readonly tablePrefix: string
  readonly lock: DataDirLock
}

async function prepare(folder: string, storage: Storage, snapshot: SqliteSnapshot) {
  await requireSameDatabase(folder, storage)
  const databaseId = await snapshot.setting(ID_SETTING)
  if (databaseId === undefined || (await snapshot.setting('owner')) === undefined) {
    throw new NotInitializedError(`there is no data in ${folder}: run "alcove init" first`)
  }
  await snapshot.settle()
  return { databaseId, copyId: await markSource(storage) }
}
