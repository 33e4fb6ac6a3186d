import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { DataDirUnusableError, MigrationFailedError, NotInitializedError } from '../../../src/index.js'
import { syncFolder } from '../../files/index.js'
import {
  KnexStorage,
  MIGRATION_SETTING,
  openSqlite,
  requireTables,
  SqliteSnapshot,
  withoutWriters,
} from '../../knex/index.js'
import { lockDataDir, lockOutCommands } from '../data-dir-lock.js'
import { DATABASE, formerName, isThere, VECTORS, WORDS } from '../data-dir-names.js'
import { requireLocalDatabase } from '../open-local-database.js'
import { ID_SETTING, requireSameDatabase } from '../same-database.js'
import { forgetMigration, markSource } from './migration-mark.js'

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
  readonly #opened: Opened

  private constructor(known: Known, ids: { readonly databaseId: string; readonly copyId: string }) {
    this.folder = known.folder
    this.isSetAside = known.isSetAside
    this.snapshot = known.snapshot
    this.databaseId = ids.databaseId
    this.copyId = ids.copyId
    this.#knex = known.knex
    this.#tablePrefix = known.tablePrefix
    this.#opened = known.opened
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
      const commands = await lockOutCommands(folder)
      opened.unshift(async () => commands.release())
      await requireFreeNames(folder)
      const knex = openSqlite(file)
      opened.unshift(async () => knex.destroy())
      await requireTables(knex, tablePrefix)
      const snapshot = await SqliteSnapshot.open(file, tablePrefix)
      opened.unshift(async () => snapshot.close())
      const storage = new KnexStorage({ knex, keepKnex: true, tablePrefix })
      const ids = await prepare(folder, storage, snapshot)
      return new MigrationSource({ folder, isSetAside, snapshot, knex, tablePrefix, opened }, ids)
    } catch (error) {
      await closeAll(opened)
      throw error
    }
  }

  /** Reads the database while nobody writes to it. */
  async reading<T>(work: (reading: Knex) => Promise<T>): Promise<T> {
    return await withoutWriters(this.#knex, this.#tablePrefix, async (reading) => {
      const copyId = await this.snapshot.setting(MIGRATION_SETTING)
      if (copyId === this.copyId) return await work(reading)
      throw new MigrationFailedError(`somebody else works on ${this.folder}: end that, and migrate it again`)
    })
  }

  /** Where something of the folder is once it is {@link setAside}. */
  former(name: string): string {
    return formerName(join(this.folder, name))
  }

  /** What was copied of it is out of date, or was changed by others: the next copy begins anew. */
  async forget(): Promise<void> {
    const storage = new KnexStorage({ knex: this.#knex, keepKnex: true, tablePrefix: this.#tablePrefix })
    await forgetMigration(storage)
  }

  /**
   * Gives what is not used any more another name, the database first: with that the folder is not worked with any more.
   * @throws MigrationFailedError where some other program has the database open
   */
  async setAside(names: readonly string[]): Promise<void> {
    const rows = await this.#knex.raw<readonly { readonly busy: number }[]>('pragma wal_checkpoint(truncate)')
    if (rows[0]?.busy !== 0) {
      throw new MigrationFailedError(
        `another program has the database in ${this.folder} open: end it, and migrate it again`,
      )
    }
    await this.snapshot.close()
    await this.#knex.destroy()
    for (const name of names) {
      if (await isThere(join(this.folder, name))) await rename(join(this.folder, name), this.former(name))
    }
    await syncFolder(this.folder)
  }

  async close(): Promise<void> {
    await closeAll(this.#opened)
  }
}

/** What closes what was opened, the last first. */
type Opened = readonly (() => Promise<void>)[]

async function closeAll(opened: Opened): Promise<void> {
  for (const close of opened) await close()
}

/** @throws DataDirUnusableError where an earlier migration has left what this one could not set aside */
async function requireFreeNames(folder: string): Promise<void> {
  for (const name of [DATABASE, VECTORS, WORDS]) {
    const path = join(folder, name)
    if (!(await isThere(path)) || !(await isThere(formerName(path)))) continue
    throw new DataDirUnusableError(
      `there is ${formerName(path)} of an earlier migration beside ${name}: remove it, or give it another name`,
    )
  }
}

type Known = Pick<MigrationSource, 'folder' | 'isSetAside' | 'snapshot'> & {
  readonly knex: Knex
  readonly tablePrefix: string
  readonly opened: Opened
}

async function prepare(folder: string, storage: KnexStorage, snapshot: SqliteSnapshot) {
  await requireSameDatabase(folder, storage)
  const databaseId = await snapshot.setting(ID_SETTING)
  if (databaseId === undefined || (await snapshot.setting('owner')) === undefined) {
    throw new NotInitializedError(`there is no data in ${folder}: run "alcove init" first`)
  }
  await snapshot.settle()
  return { databaseId, copyId: await markSource(storage) }
}
